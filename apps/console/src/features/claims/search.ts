export { type ListSearch as ClaimsSearch, readPanelSearch as readClaimsSearch } from '../../lib/list-search.ts'
