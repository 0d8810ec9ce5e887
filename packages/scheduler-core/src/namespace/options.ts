import { z } from 'zod'
import type { Namespace } from '../records/namespace-document.ts'

const YEAR_SECONDS = 31_536_000

/** The option `maxAgeSeconds` of a filter or weigher that reads a namespace: the maximum age of a document. */
export const maxAge = ({ maxAgeSeconds }: Pick<Namespace<unknown>, 'maxAgeSeconds'>) =>
  z.number().int().min(1).max(YEAR_SECONDS).default(maxAgeSeconds)
