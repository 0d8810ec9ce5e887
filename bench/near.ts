import type { Fleet, Profile } from '@gantt/scheduler-core'
import { parseProfile } from '@gantt/scheduler-core'
import { aDocument, aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { aLogOf, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

const VOLUMES = 20
const POOL = aUuid(1)

/** A fleet in which every host reports a pool that all hosts share, and its own volumes. */
function aToldFleet(size: number): Fleet {
  const log = aLogOf(size)
  const documents = log.fleet.hosts.records.map(({ host }, i) =>
    aDocument(host, 'storage', {
      pools: [{ uuid: POOL, name: 'fast', totalGib: 100_000 }],
      volumes: Array.from({ length: VOLUMES }, (_, v) => ({ uuid: aUuid(1_000 + i * VOLUMES + v), pool: POOL })),
    }),
  )
  log.append([{ type: 'feature', level: 6 }, ...documents])
  return log.fleet
}

function profileOf(near: boolean): Profile {
  const filters = [{ name: 'RamFilter' }, ...(near ? [{ name: 'VolumeAffinityFilter' }] : [])]
  const profile = parseProfile({ name: 'near', number: 1, filters, weighers: [] })
  if (!profile.ok) throw new Error('the profile is wrong')
  return profile.value
}

/** Measures a decision near a volume, compared with the same decision without the hint, and with a search of every document. */
export const nearQuestion: Question = {
  name: 'near',
  asks: 'What does a hint near_volume cost if every host reports twenty volumes?',
  floor: 'the same request without the hint',
  rounds: 20,
  async run({ hosts, rounds }) {
    const size = hosts ?? 10_000
    const fleet = aToldFleet(size)
    const volume = aUuid(1_000 + size * VOLUMES - 1)
    const near = aRequest({ schedulerHints: { near_volume: [volume] } })
    const figures = await measureInTurns(rounds, {
      plain: () => scan(fleet, aRequest(), { profile: profileOf(false) }),
      near: () => scan(fleet, near, { profile: profileOf(true) }),
      documents: () => reportersBySearch(fleet, volume),
    })
    const what = `${size} hosts, ${VOLUMES} volumes each`
    const figure = (name: keyof typeof figures, words: string): Figure => ({
      what: `${what}; ${words}`,
      unit: 'ms',
      ...figures[name],
      ratio: name === 'plain' ? null : figures[name].median / figures.plain.median,
    })
    return [figure('plain', 'no hint'), figure('near', 'near_volume'), figure('documents', 'search alone')]
  },
}

/** How many hosts report a volume, found without an index. */
const reportersBySearch = ({ hosts }: Fleet, uuid: string): number =>
  hosts.records.filter(({ namespaces }) => {
    const { volumes = [] } = (namespaces.get('storage')?.document ?? {}) as { readonly volumes?: readonly { readonly uuid: string }[] }
    return volumes.some((volume) => volume.uuid === uuid)
  }).length
