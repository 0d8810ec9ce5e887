import {
  IconAdjustments,
  IconBox,
  IconBrandGraphql,
  IconFlask,
  IconGauge,
  IconHistory,
  IconKey,
  IconLock,
  IconRoute,
  IconServer2,
  IconSettings,
  IconTopologyRing,
} from '@tabler/icons-react'

/** The pages that can be opened from anywhere: by the navigation, by keys, by the palette. */
export const pages = [
  {
    ...{ to: '/overview', label: 'Overview', keys: 'g o', icon: IconGauge },
    present: 'Hosts, zones and remaining capacity are shown at the chosen time; requests and changes are current.',
  },
  { to: '/hosts', label: 'Hosts', keys: 'g h', icon: IconServer2 },
  {
    ...{ to: '/decisions', label: 'Decisions', keys: 'g d', icon: IconRoute },
    present: 'This page is not affected by the chosen time: decisions are immutable records, and later ones are included.',
  },
  { to: '/aggregates', label: 'Aggregates', keys: 'g a', icon: IconBox },
  { to: '/simulate', label: 'Simulate', keys: 'g s', icon: IconFlask },
  { to: '/profiles', label: 'Profiles', keys: 'g p', icon: IconAdjustments },
  { to: '/claims', label: 'Claims', keys: 'g c', icon: IconLock },
  {
    ...{ to: '/replicas', label: 'Replicas', keys: 'g r', icon: IconTopologyRing },
    present: 'This page shows the present: replicas are not in the log.',
  },
  {
    ...{ to: '/audit', label: 'Audit', keys: 'g l', icon: IconHistory },
    present: 'This page is not affected by the chosen time: rows are immutable records, and later ones are included.',
  },
  { ...{ to: '/keys', label: 'Keys', keys: 'g k', icon: IconKey }, present: 'This page shows the present: keys are not in the log.' },
  {
    ...{ to: '/graphiql', label: 'GraphiQL', keys: 'g q', icon: IconBrandGraphql },
    present: 'This page shows the present, unless the query has the argument at.',
  },
  {
    ...{ to: '/settings', label: 'Settings', keys: 'g e', icon: IconSettings },
    present: 'This page shows the present: settings are not in the log.',
  },
] as const

/** A sentence that names the parts of a page that show the present even while the console shows the past. Undefined if there are none. */
export const presentOn = (path: string): string | undefined =>
  pages.flatMap((page) => ((path === page.to || path.startsWith(`${page.to}/`)) && 'present' in page ? [page.present] : []))[0]
