import { graphql } from '../../lib/service/graphql.ts'

/** The settings of the answering replica. */
export const SETTINGS = graphql(`
  query Settings {
    health { replica release engine }
    settings { name value unit source isSecret description }
  }
`)

/** How many idempotency keys of ended claims are kept at most and for how long, and the present counts. */
export const KEY_LIMITS = graphql(`
  query KeyLimits {
    keyLimits { cap afterlife version endedKeys keptKeys }
  }
`)

export const UPDATE_KEY_LIMITS = graphql(`
  mutation UpdateKeyLimits($ifVersion: Int!, $cap: Int!, $afterlife: Duration!) {
    keyLimitsUpdate(ifVersion: $ifVersion, cap: $cap, afterlife: $afterlife) {
      __typename
      ... on ValidationError { issues { message } }
      ... on UserError { message }
    }
  }
`)
