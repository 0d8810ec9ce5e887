import type { VariablesOf } from '../../lib/graphql.ts'
import type { CAPACITY, SIMULATE } from './documents.ts'
import { type Scenario, toSpecInput } from './scenario.ts'

type SimulateVariables = VariablesOf<typeof SIMULATE>
type CapacityVariables = VariablesOf<typeof CAPACITY>
type OverlayInput = NonNullable<CapacityVariables['input']['overlay']>
type SpecInput = NonNullable<CapacityVariables['input']['spec']>

/** What is not worked out by then is said to be missing. */
const DEADLINE = 'PT10S'

/** The scenario as the API takes it. What a request or an overlay says wrongly is the service's to refuse, by name. */
export function toSimulate(scenario: Scenario): SimulateVariables {
  const { request, count } = scenario
  return { input: { requests: [{ spec: toSpecInput(request) as SpecInput, count }], ...hypothesisOf(scenario) } }
}

/** How many more of one instance of the request fit. `asItIs`: without the edits. */
export const toCapacity = (scenario: Scenario, asItIs: boolean): CapacityVariables => ({
  input: {
    spec: toSpecInput(scenario.request) as SpecInput,
    ...hypothesisOf(asItIs ? { ...scenario, overlay: {}, profileChanges: undefined } : scenario),
  },
})

export const isOtherwise = ({ overlay, profileChanges }: Scenario): boolean =>
  Object.keys(overlay).length > 0 || profileChanges !== undefined

const hypothesisOf = ({ profile, overlay, profileChanges, at }: Scenario) => ({
  deadline: DEADLINE,
  ...(profile === undefined ? {} : { profile }),
  ...(at === undefined ? {} : { at }),
  ...(profileChanges === undefined ? {} : { profileChanges }),
  ...(Object.keys(overlay).length === 0 ? {} : { overlay: overlay as OverlayInput }),
})
