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
  IconTopologyRing,
} from '@tabler/icons-react'

/** Where one can go from anywhere: by the list at the left, by keys, by the palette. */
export const pages = [
  { to: '/overview', label: 'Overview', keys: 'g o', icon: IconGauge },
  { to: '/hosts', label: 'Hosts', keys: 'g h', icon: IconServer2 },
  { to: '/decisions', label: 'Decisions', keys: 'g d', icon: IconRoute },
  { to: '/aggregates', label: 'Aggregates', keys: 'g a', icon: IconBox },
  { to: '/simulate', label: 'Simulate', keys: 'g s', icon: IconFlask },
  { to: '/profiles', label: 'Profiles', keys: 'g p', icon: IconAdjustments },
  { to: '/claims', label: 'Claims', keys: 'g c', icon: IconLock },
  { to: '/replicas', label: 'Replicas', keys: 'g r', icon: IconTopologyRing },
  { to: '/audit', label: 'Audit', keys: 'g l', icon: IconHistory },
  { to: '/keys', label: 'Keys', keys: 'g k', icon: IconKey },
  { to: '/graphiql', label: 'GraphiQL', keys: 'g q', icon: IconBrandGraphql },
] as const
