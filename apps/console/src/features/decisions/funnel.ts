/** How long a bar is, 0 to 1: of the hosts that there are. Log shows what is left of thousands; 0 hosts are 0 either way. */
export function barShare(hosts: number, all: number, scale: 'linear' | 'log'): number {
  if (hosts <= 0 || all <= 0) return 0
  return scale === 'linear' ? hosts / all : Math.log1p(hosts) / Math.log1p(all)
}

/** The steps that a line of a table has room for: `200 > 120 > 0`. Steps that refused nobody are left out. */
export function funnelText(hostCount: number, steps: readonly { readonly entered: number; readonly passed: number }[]): string {
  const counts = steps.filter(({ entered, passed }) => passed < entered).map(({ passed }) => passed)
  return [hostCount, ...counts].join(' > ')
}
