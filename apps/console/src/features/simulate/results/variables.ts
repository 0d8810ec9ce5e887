import type { VariablesOf } from '../../../lib/service/graphql.ts'
import type { CAPACITY, SIMULATE } from '../documents.ts'
import { type Scenario, toSpecInput } from '../scenario.ts'

type SimulateVariables = VariablesOf<typeof SIMULATE>
type CapacityVariables = VariablesOf<typeof CAPACITY>
type OverlayInput = NonNullable<CapacityVariables['input']['overlay']>
type SpecInput = NonNullable<CapacityVariables['input']['spec']>

/** The time limit of a simulation. Parts that are not computed in time are reported as missing. */
const DEADLINE = 'PT10S'

/** Converts a scenario to the input of the API. The request and the overlay are not validated here, because the service validates them. */
export function toSimulate(scenario: Scenario): SimulateVariables {
  const { request, count } = scenario
  return { input: { requests: [{ spec: toSpecInput(request) as SpecInput, count }], ...hypothesisOf(scenario) } }
}

/** The variables of the query for the capacity. With `asItIs`, the hypothetical edits are not applied. */
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
