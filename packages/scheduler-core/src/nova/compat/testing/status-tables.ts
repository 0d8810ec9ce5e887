import { both, fromNova, marked, type Row, reportedDisabled } from './placement-rows.ts'

/** The rows about hosts that are disabled. */
export const statusRows: Readonly<Record<string, Row>> = {
  'Nova compute_status_filter: a forced host that is disabled': {
    disabled: ['h1'],
    asks: { forceHosts: ['h1'] },
    gets: { h1: 'PlacementStatus host.disabled', h2: 'Candidates host.not_requested' },
  },
  'a forced host that is enabled': { disabled: ['h1'], asks: { forceHosts: ['h2'] }, gets: 'h2' },
  'one of several forced hosts passes': { asks: { forceHosts: ['h2', 'h1'] }, gets: 'h1' },
  'a forced host needs enough memory for its claim': {
    asks: { forceHosts: ['h2'], memoryMb: 100_000 },
    gets: { h1: 'Candidates host.not_requested', h2: 'ResourceClassFilter (claim) memory.too_little' },
  },
  'a host that is not forced is refused by ComputeFilter': { disabled: ['h1', 'h2'], gets: both('ComputeFilter host.disabled') },
  'Nova compute_status_filter: without ComputeFilter in the profile, a disabled host that is not forced is refused by the check of Placement':
    {
      filters: [],
      disabled: ['h1', 'h2'],
      gets: both('PlacementStatus host.disabled'),
    },
  'a ComputeFilter in shadow refuses no host, so PlacementStatus does': {
    filters: [{ name: 'ComputeFilter', shadow: true }],
    disabled: ['h1'],
    gets: 'h2',
  },
  'without ComputeFilter in the profile, an enabled host passes': { filters: [], disabled: ['h1'], gets: 'h2' },
  'without ComputeFilter in the profile, a host whose service is disabled is refused': {
    filters: [],
    hosts: { h1: reportedDisabled, h2: reportedDisabled },
    gets: both('PlacementStatus host.disabled'),
  },
  'without ComputeFilter in the profile, a rebuild ignores the status, as Nova does not call Placement for it': {
    filters: [],
    disabled: ['h1'],
    asks: { schedulerHints: { _nova_check_type: ['rebuild'] } },
    gets: 'h1',
  },
  'Nova compute_status_filter: a host with the trait COMPUTE_STATUS_DISABLED is refused': {
    hosts: { h1: marked(), h2: marked() },
    asks: fromNova({}),
    gets: both('PlacementStatus host.disabled'),
  },
  'the trait COMPUTE_STATUS_DISABLED on one of two hosts': { hosts: { h1: marked() }, gets: 'h2' },
  'a forced host with the trait COMPUTE_STATUS_DISABLED': {
    hosts: { h1: marked() },
    asks: { forceHosts: ['h1'] },
    gets: { h1: 'PlacementStatus host.disabled', h2: 'Candidates host.not_requested' },
  },
  'a disabled host with the trait COMPUTE_STATUS_DISABLED is refused by ComputeFilter alone': {
    hosts: { h1: marked(), h2: marked() },
    disabled: ['h1', 'h2'],
    gets: both('ComputeFilter host.disabled'),
  },
  'a host whose service is disabled and that has the trait COMPUTE_STATUS_DISABLED': {
    hosts: { h1: { ...reportedDisabled, ...marked() }, h2: { ...reportedDisabled, ...marked() } },
    gets: both('ComputeFilter host.disabled'),
  },
}
