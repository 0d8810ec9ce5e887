import { membersAt, membersOf } from '../../../request/members.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import { quote } from '../../../text/problem.ts'
import { canonicalJson } from '../../../values/canonical-json.ts'
import type { ChangedNumber, GangPlace, ProposedChange, Refusal } from '../remedies/remedy.ts'

/** The request of one instance, as remedies read it. For an instance of a gang, it is a request for this kind of instances alone. */
export function askedAt(whole: RequestSpec, instance: number): Pick<Refusal, 'request' | 'gang'> {
  if (whole.gang.length === 0) return { request: whole }
  const members = membersAt(whole, instance)
  return { request: members.request, gang: { whole, at: membersOf(whole).indexOf(members) } }
}

const kindAt = (whole: RequestSpec, at: number): RequestSpec => membersOf(whole)[at]?.request ?? whole

/** The fields that each kind of instances in a gang has for itself. All other fields of a request apply to the whole gang. */
const ownFields = ({ flavor, numaTopology, gpus, pciRequests, requestedResources }: RequestSpec) => ({
  ...{ flavor, numaTopology, gpus, pciRequests, requestedResources },
})

/** The whole gang with the fields of a changed request for one kind of instances. */
function withKind(whole: RequestSpec, at: number, changed: RequestSpec): RequestSpec {
  if (at === 0) return { ...changed, gang: whole.gang }
  const gang = whole.gang.map((member, i) => (i === at - 1 ? { ...member, ...ownFields(changed) } : member))
  return { ...changed, ...ownFields(whole), gang }
}

/** The name of a kind of instances, as it is added to the subject of a change. A kind without a name of its own has its number. */
function nameAt(whole: RequestSpec, at: number): string {
  const names = membersOf(whole).map(({ name, request }) => name ?? request.flavor.name)
  const name = names[at] ?? null
  return name === null || names.indexOf(name) !== names.lastIndexOf(name) ? `gang member ${at + 1}` : `gang member ${quote(name)}`
}

/**
 * Converts a change that was proposed for one kind of instances of a gang to a change of the whole gang. If it changes a field that each
 * kind has for itself (`ownFields`), its subject names the kind.
 */
export function inGang(change: ProposedChange, gang: GangPlace | undefined): ProposedChange {
  if (gang === undefined || change.request === undefined) return change
  const { whole, at } = gang
  const kind = kindAt(whole, at)
  const changed = change.request(kind)
  return lifted(change, gang, canonicalJson(ownFields(changed)) !== canonicalJson(ownFields(kind)))
}

function lifted(change: ProposedChange, gang: GangPlace, isOwn: boolean): ProposedChange {
  const { whole, at } = gang
  const { request, number, parts, gives, lowers, alike } = change
  const path = (name: string): string => (isOwn ? `kind ${at}.${name}` : name)
  return {
    ...change,
    ...(isOwn && { subject: `${change.subject} of ${nameAt(whole, at)}`, namesKind: true }),
    ...(request !== undefined && { request: (one: RequestSpec) => withKind(one, at, request(kindAt(one, at))) }),
    ...(number !== undefined && { number: liftedNumber(number, gang, isOwn) }),
    ...(parts !== undefined && { parts: { names: parts.names, of: (names: readonly string[]) => lifted(parts.of(names), gang, isOwn) } }),
    ...(gives !== undefined && { gives: gives.map(path) }),
    ...(lowers !== undefined && { lowers: Object.fromEntries(Object.entries(lowers).map(([name, amount]) => [path(name), amount])) }),
    ...(alike !== undefined && { alike: path(alike) }),
  }
}

function liftedNumber(number: ChangedNumber, gang: GangPlace, isOwn: boolean): ChangedNumber {
  const { of } = number
  return {
    from: number.from,
    to: number.to,
    ...(number.least !== undefined && { least: number.least }),
    ...(number.step !== undefined && { step: number.step }),
    // read only if it is needed, because it is computed from all hosts
    get among() {
      return number.among
    },
    at: (to, step) => lifted(number.at(to, step), gang, isOwn),
    ...(of !== undefined && {
      of: (whole: RequestSpec) => {
        const own = of(kindAt(whole, gang.at))
        return own && lifted(own, gang, isOwn)
      },
    }),
  }
}
