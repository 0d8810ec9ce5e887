export { type ListSearch as ClaimsSearch, readPanelSearch as readClaimsSearch } from '../../lib/browser/list-search.ts'
