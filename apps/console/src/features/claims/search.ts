export { type ListSearch as ClaimsSearch, readListSearch as readClaimsSearch } from '../../lib/list-search.ts'
