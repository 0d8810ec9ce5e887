import type { ObjectParam } from '@pothos/core'
import type { Failure, Invalid, Issue, NotFound as NotFoundShape } from '../services/outcome.ts'
import { builder } from './builder.ts'

export const ErrorCode = builder.enumType('ErrorCode', {
  description: 'Kinds of expected ends. New ones may come; handle the ones you do not know by their message.',
  values: [
    'INVALID',
    'NOT_FOUND',
    'CONFLICT',
    'STALE',
    'IDEMPOTENCY_CONFLICT',
    'NO_VALID_HOST',
    'CLAIM_LOST',
    'CLAIM_EXPIRED',
    'INSTANCE_TAKEN',
    'QUOTA',
    'REPLICA_BEHIND',
    'PRECONDITION',
    'FORBIDDEN',
  ] as const,
})

export const UserError = builder.interfaceRef<Failure>('UserError').implement({
  description: 'An expected end that is not what the caller hoped for. Match it to survive new kinds.',
  fields: (t) => ({
    code: t.expose('code', { type: ErrorCode, description: 'The kind of end.' }),
    message: t.exposeString('message', { description: 'One or two sentences for people; never parse it.' }),
    path: t.field({
      type: ['String'],
      nullable: true,
      description: 'Keys and indexes from the root of the arguments to what is at fault.',
      resolve: ({ path }) => (path === null ? null : [...path]),
    }),
  }),
})

const FieldIssue = builder.objectRef<Issue>('FieldIssue').implement({
  description: 'One thing that is wrong with the input.',
  fields: (t) => ({
    path: t.field({ type: ['String'], description: 'Keys and indexes from the root of the arguments.', resolve: ({ path }) => [...path] }),
    rule: t.exposeString('code', { description: 'Code of the rule that it breaks, from the catalogue of errors.' }),
    message: t.exposeString('message', { description: 'What was found and what is needed.' }),
    expected: t.exposeString('expected', { nullable: true, description: 'What is allowed.' }),
    actual: t.exposeString('actual', { nullable: true, description: 'What was found, shortened to 80 characters.' }),
  }),
})

export const ValidationError = builder.objectRef<Invalid>('ValidationError').implement({
  description: 'The input breaks rules; all that are known are listed at once. Nothing was changed.',
  interfaces: [UserError],
  fields: (t) => ({
    issues: t.field({
      type: [FieldIssue],
      description: 'Everything that is wrong; of very many the first.',
      resolve: ({ issues }) => [...issues],
    }),
    issueCount: t.exposeInt('issueCount', { description: 'How many things are wrong, listed or not.' }),
  }),
})

export const NotFound = builder.objectRef<NotFoundShape>('NotFound').implement({
  description: 'What the call names is not there.',
  interfaces: [UserError],
  fields: (t) => ({
    typeName: t.exposeString('noun', { description: 'What kind of thing.' }),
    key: t.exposeString('key', { description: 'How the call named it.' }),
  }),
})

/** GraphQL names of failures that several unions share, by the tag of the service's answer. */
const failureNames: Readonly<Record<string, string>> = {
  invalid: 'ValidationError',
  'not-found': 'NotFound',
  'version-conflict': 'VersionConflict',
  'claim-lost': 'ClaimLost',
}

/** A union of a mutation's ends; `names` adds GraphQL names by the tag of the service's answer. */
export const resultUnion = <Member extends ObjectParam<typeof builder.$inferSchemaTypes>>(
  name: string,
  description: string,
  types: Member[],
  names: Readonly<Record<string, string>>,
) =>
  builder.unionType(name, {
    description,
    types,
    resolveType: (value: unknown) => ({ ...failureNames, ...names })[(value as { type: string }).type],
  })
