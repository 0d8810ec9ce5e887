import type { HostStatsInput } from '@gantt/scheduler-core'
import { createDraw, type Draw, type Theme, themes } from './draw.ts'
import { drawAllocation, drawOverride, withDocument, withRatios } from './draw-allocation.ts'
import { drawHost, drawStats, withManyGpus } from './draw-host.ts'
import { drawProfile } from './draw-profile.ts'
import { drawQuestion } from './draw-question.ts'
import type { AggregatePlan, Plan } from './plan.ts'
import { uuidOf } from './uuid.ts'

/** Draws the case of a seed. All amounts are small, so that exact fits, ties, full hosts and empty fleets are common. */
export function drawPlan(seed: string): Plan {
  const draw = createDraw(seed)
  const theme = draw.of(themes)
  const hosts = draw.list(draw.chance(3) ? 0 : draw.between(1, 7), (i) => drawHost(draw, theme, i))
  const names = [...new Set(hosts.map(({ host }) => host))]
  // Ratios, reserved amounts, large counts of GPUs and releases are drawn from random sources of their own, so that the rest of a case does not
  // depend on them.
  const allocating = createDraw(`${seed} allocation`)
  const racks = createDraw(`${seed} racks`)
  const earlier = draw.list(draw.between(0, 3), () => drawQuestion(draw, theme, names))
  const releasing = createDraw(`${seed} released`)
  const reported = draw.chance(40) ? hosts.map((_, i) => i).filter(() => draw.chance(50)) : []
  return {
    hosts: hosts.map((host) => ({ ...host, stats: withManyGpus(racks, theme, withDocument(allocating, host.stats)) })),
    aggregates: drawAggregates(draw, names).map((aggregate) => withRatios(allocating, aggregate)),
    allocation: allocating.chance(30) ? drawAllocation(allocating) : null,
    overrides: allocating.chance(40) ? allocating.list(allocating.between(1, 3), () => drawOverride(allocating, hosts.length)) : [],
    profile: drawProfile(draw, theme),
    earlier,
    released: earlier.map((_, i) => i).filter(() => releasing.chance(40)),
    reports: reported.map((host) => ({ host, stats: withDocument(allocating, afterwards(draw, theme, hosts[host]?.stats ?? {})) })),
    leaves: draw.chance(35) ? draw.list(draw.between(1, 2), () => drawLeaving(draw, hosts.length)) : [],
    isBatched: draw.chance(30),
    question: drawQuestion(draw, theme, names),
    // These three checks are slow, so each of them is made in only 15 % of cases.
    countsCapacity: draw.chance(15),
    triesWeights: draw.chance(15),
    triesChanges: draw.chance(15),
  }
}

/** Draws a later report of a machine. The NUMA cells and GPUs are those of its first report; all other values are drawn again. */
function afterwards(draw: Draw, theme: Theme, { numaCells, gpus }: Partial<HostStatsInput>): HostStatsInput {
  return { ...drawStats(draw, theme), ...(numaCells !== undefined && { numaCells }), ...(gpus !== undefined && { gpus }) }
}

const words = ['ssd', 'hdd', '2', '3', 'ssd,hdd', '10', '', 'x y']
const multiplierKeys = ['ram', 'cpu', 'disk', 'io_ops', 'num_instances', 'soft_affinity', 'soft_anti_affinity']

const drawLeaving = (draw: Draw, hosts: number): Plan['leaves'][number] => ({
  host: draw.between(0, Math.max(0, hosts - 1)),
  how: draw.of(['forget', 'force', 'back', 'replace', 'replace']),
  to: draw.between(0, 2 * hosts),
})

/** Draws aggregates. A host is in at most one availability zone, because the log refuses a second zone. */
function drawAggregates(draw: Draw, names: readonly string[]): AggregatePlan[] {
  const zoned = new Set<string>()
  return draw.list(draw.between(0, 3), (i) => {
    const members = draw.some([...names, 'ghost'], draw.between(0, 4))
    const zone = draw.chance(40) ? draw.of(['z1', 'z2']) : undefined
    const hosts = zone === undefined ? members : members.filter((name) => !zoned.has(name))
    if (zone !== undefined) for (const name of hosts) zoned.add(name)
    const multipliers = multiplierKeys
      .filter(() => draw.chance(30))
      .map((key) => [`${key}_weight_multiplier`, draw.of(['2', '0.5', '-1', ' 3 ', 'many', '1e12', '0'])])
    return {
      uuid: uuidOf(100 + ((i * 7) % 5)),
      name: `a${i}`,
      hosts,
      metadata: {
        ...(zone !== undefined && { availability_zone: zone }),
        ...(draw.chance(60) && { tier: draw.of(words) }),
        ...(draw.chance(30) && { ssd: draw.of(words) }),
        ...Object.fromEntries(multipliers),
      },
    }
  })
}
