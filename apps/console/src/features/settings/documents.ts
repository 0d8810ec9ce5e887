import { graphql } from '../../lib/graphql.ts'

/** What the replica that answers is set to. */
export const SETTINGS = graphql(`
  query Settings {
    health { replica version engine }
    settings { name value unit source isSecret description }
  }
`)
