import { classesKind } from './classes/classes.ts'
import { gpuKind } from './gpu/gpu.ts'
import type { ResourceKind } from './kind.ts'
import { numaKind } from './numa/numa.ts'

/** Every resource kind by name. A grant, a fit filter and an assignment setting are keyed by the same name. */
export const kinds = { classes: classesKind, numa: numaKind, gpu: gpuKind } as const

export type KindName = keyof typeof kinds

/** The same list for code that treats all kinds alike; each ask and grant goes back only to the kind that made it. */
export const allKinds = Object.values(kinds) as readonly ResourceKind<unknown, unknown>[]
