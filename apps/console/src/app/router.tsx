import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { readAggregateSearch, readAggregatesSearch } from '../features/aggregates/search.ts'
import { readAuditSearch } from '../features/audit/search.ts'
import { readClaimsSearch } from '../features/claims/search.ts'
import { readDecisionSearch, readDecisionsSearch } from '../features/decisions/search.ts'
import { readGraphiqlSearch } from '../features/graphiql/search.ts'
import { readHostSearch, readHostsSearch } from '../features/hosts/search.ts'
import { readKeysSearch } from '../features/keys/search.ts'
import { readOverviewSearch } from '../features/overview/search.ts'
import { readProfileDraftSearch, readProfileSearch } from '../features/profiles/search.ts'
import { readSimulateSearch } from '../features/simulate/search.ts'
import { readColumnsSearch } from '../lib/browser/list-search.ts'
import { readTravelSearch } from '../lib/service/travel.ts'
import { NotFoundPage } from './not-found.tsx'
import { RouteProblem } from './route-problem.tsx'
import { carryMoment, only, parseSearch, printSearch } from './search.ts'
import { Shell } from './shell.tsx'

/**
 * All URLs of the console. Each feature defines the query parameters of its pages. The code of a page is loaded when the operator first
 * opens the page or points at a link to it.
 */
const root = createRootRoute({
  validateSearch: readTravelSearch,
  search: { middlewares: [carryMoment] },
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: RouteProblem,
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/overview' })
  },
})

const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  validateSearch: only(readOverviewSearch),
  component: lazyRouteComponent(() => import('../features/overview/overview-page.tsx'), 'OverviewPage'),
})

const hosts = createRoute({
  getParentRoute: () => root,
  path: '/hosts',
  validateSearch: only(readHostsSearch),
  component: lazyRouteComponent(() => import('../features/hosts/list/hosts-page.tsx'), 'HostsPage'),
})

const host = createRoute({
  getParentRoute: () => root,
  path: '/hosts/$host',
  validateSearch: only(readHostSearch),
  component: lazyRouteComponent(() => import('../features/hosts/host/host-page.tsx'), 'HostPage'),
})

const decisions = createRoute({
  getParentRoute: () => root,
  path: '/decisions',
  validateSearch: only(readDecisionsSearch),
  component: lazyRouteComponent(() => import('../features/decisions/list/decisions-page.tsx'), 'DecisionsPage'),
})

const decision = createRoute({
  getParentRoute: () => root,
  path: '/decisions/$id',
  validateSearch: only(readDecisionSearch),
  component: lazyRouteComponent(() => import('../features/decisions/decision/decision-page.tsx'), 'DecisionPage'),
})

const aggregates = createRoute({
  getParentRoute: () => root,
  path: '/aggregates',
  validateSearch: only(readAggregatesSearch),
  component: lazyRouteComponent(() => import('../features/aggregates/aggregates-page.tsx'), 'AggregatesPage'),
})

const aggregate = createRoute({
  getParentRoute: () => root,
  path: '/aggregates/$uuid',
  validateSearch: only(readAggregateSearch),
  component: lazyRouteComponent(() => import('../features/aggregates/aggregate-page.tsx'), 'AggregatePage'),
})

const simulate = createRoute({
  getParentRoute: () => root,
  path: '/simulate',
  validateSearch: only(readSimulateSearch),
  component: lazyRouteComponent(() => import('../features/simulate/simulate-page.tsx'), 'SimulatePage'),
})

const profiles = createRoute({
  getParentRoute: () => root,
  path: '/profiles',
  validateSearch: only(() => ({})),
  component: lazyRouteComponent(() => import('../features/profiles/profiles-page.tsx'), 'ProfilesPage'),
})

const profile = createRoute({
  getParentRoute: () => root,
  path: '/profiles/$name',
  validateSearch: only(readProfileSearch),
  component: lazyRouteComponent(() => import('../features/profiles/profile-page.tsx'), 'ProfilePage'),
})

const profileDraft = createRoute({
  getParentRoute: () => root,
  path: '/profiles/$name/draft',
  validateSearch: only(readProfileDraftSearch),
  component: lazyRouteComponent(() => import('../features/profiles/draft/draft-page.tsx'), 'DraftPage'),
})

const claims = createRoute({
  getParentRoute: () => root,
  path: '/claims',
  validateSearch: only(readClaimsSearch),
  component: lazyRouteComponent(() => import('../features/claims/claims-page.tsx'), 'ClaimsPage'),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: only(readAuditSearch),
  component: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: only(readKeysSearch),
  component: lazyRouteComponent(() => import('../features/keys/keys-page.tsx'), 'KeysPage'),
})

const replicas = createRoute({
  getParentRoute: () => root,
  path: '/replicas',
  validateSearch: only(readColumnsSearch),
  component: lazyRouteComponent(() => import('../features/replicas/replicas-page.tsx'), 'ReplicasPage'),
})

const graphiql = createRoute({
  getParentRoute: () => root,
  path: '/graphiql',
  validateSearch: only(readGraphiqlSearch),
  component: lazyRouteComponent(() => import('../features/graphiql/graphiql-page.tsx'), 'GraphiqlPage'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: only(() => ({})),
  component: lazyRouteComponent(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    overview,
    hosts,
    host,
    decisions,
    decision,
    aggregates,
    aggregate,
    simulate,
    profiles,
    profile,
    profileDraft,
    claims,
    replicas,
    audit,
    keys,
    graphiql,
    settings,
  ]),
  parseSearch,
  stringifySearch: printSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: RouteProblem,
})

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router
  }
}
