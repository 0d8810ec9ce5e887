import type {
  AttemptProposed,
  ClaimPart,
  ClaimRef,
  ClaimsProposed,
  Grants,
  GroupBinding,
  InstancesProposed,
  MoveIntent,
  MoveProposed,
} from '../records/change.ts'
import { publishedSpec } from '../request/versions.ts'
import { CORE_VERSION } from '../values/version.ts'
import { aRequest } from './request.ts'

/** The fields of a proposal that a test can set. By default it reserves 1 CPU and 1 GiB on host h1 for one minute, for account `acme`. */
export interface ClaimShape {
  /** The idempotency key. It is also the prefix of the claims' ids. */
  readonly key?: string
  readonly account?: string
  /** The host of each claim. There is one claim for each host in the list. */
  readonly hosts?: readonly string[]
  readonly grants?: Grants
  readonly instances?: readonly (string | null)[]
  /** Claim ids; by default `<key>.<position>`. */
  readonly ids?: readonly string[]
  readonly group?: GroupBinding | null
  readonly mode?: ClaimsProposed['mode']
  readonly ttlMs?: number
  readonly untilCounted?: true
  readonly notAfter?: number | null
}

/** A change that proposes claims. Its decision record is minimal, because no decision was made. */
export function aClaim(shape: ClaimShape = {}): ClaimsProposed {
  const { key = 'k1', account = 'acme', hosts = ['h1'], mode = 'RESERVE', ttlMs = 60_000, notAfter = null, group = null } = shape
  const grants = shape.grants ?? { classes: { VCPU: 1, MEMORY_MB: 1_024 } }
  const parts = hosts.map(
    (host, i): ClaimPart => ({ claim: shape.ids?.[i] ?? `${key}.${i}`, instance: shape.instances?.[i] ?? null, host, node: host, grants }),
  )
  return {
    type: 'claims',
    account,
    key,
    digest: `digest of ${key}`,
    intent: 'CREATE',
    mode,
    ttlMs,
    ...(shape.untilCounted && { untilCounted: true }),
    notAfter,
    group,
    parts,
    answer: parts.map(({ instance, host, node }) => ({ instance, selected: { host, node, weight: 0, limits: {} }, alternates: [] })),
    decision: {
      id: `decision of ${key}`,
      request: publishedSpec(aRequest()),
      profile: 'default@0',
      seed: key,
      attempt: 1,
      alternatesPerInstance: 0,
      allOrNothing: true,
      instances: [],
      core: CORE_VERSION,
    },
  }
}

/**
 * A change that proposes the move of a claim, by default a live migration. Its decision record is minimal, because no decision was made.
 */
export function aMove({
  source,
  intent = 'LIVE_MIGRATE',
  ...shape
}: ClaimShape & { readonly source: ClaimRef; readonly intent?: MoveIntent }): MoveProposed {
  return { ...aClaim(shape), type: 'move', intent, source }
}

/** A change that proposes claims for instances, by the rules of level 8. By default, the claims have no project. */
export const someInstances = ({ project = null, ...shape }: ClaimShape & { readonly project?: string | null } = {}): InstancesProposed => ({
  ...aClaim(shape),
  type: 'instances',
  project,
})

/** A change that proposes a further attempt for an instance that has a claim. */
export function anAttempt({
  source,
  ends = null,
  project = null,
  ...shape
}: ClaimShape & { readonly source: ClaimRef; readonly ends?: ClaimRef | null; readonly project?: string | null }): AttemptProposed {
  const { intent, ...claim } = aClaim(shape)
  return { ...claim, type: 'attempt', intent, source, ends, project }
}

/** A valid uuid that contains `number`. Tests use it for instances, aggregates and groups. */
export const aUuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
