export { type ListSearch as ClaimsSearch, readBesideSearch as readClaimsSearch } from '../../lib/list-search.ts'
