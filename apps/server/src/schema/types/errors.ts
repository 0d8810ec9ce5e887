import { showUnseen } from '@gantt/scheduler-core'
import type { ObjectParam } from '@pothos/core'
import type { Failure, Invalid, Issue, NotFound as NotFoundShape } from '../../services/calls/outcome.ts'
import { builder } from '../builder.ts'

export const ErrorCode = builder.enumType('ErrorCode', {
  description: 'The codes of expected failures. New codes may be added. A client that does not know a code should show the message.',
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

/** Escapes invisible characters in a path, because paths, like messages, can quote callers' input and older data. */
const showPath = (path: readonly string[]): string[] => path.map((key) => showUnseen(key))

export const UserError = builder.interfaceRef<Failure>('UserError').implement({
  description: 'An expected failure of a call. All kinds of failures implement this interface, including kinds that are added later.',
  fields: (t) => ({
    code: t.expose('code', { type: ErrorCode, description: 'The code of the failure.' }),
    message: t.string({
      description: 'What failed, in one or two sentences for people. Programs should not parse this text.',
      resolve: ({ message }) => showUnseen(message),
    }),
    path: t.field({
      type: ['String'],
      nullable: true,
      description: 'The path to the wrong argument, as keys and indexes from the root of the arguments.',
      resolve: ({ path }) => (path === null ? null : showPath(path)),
    }),
  }),
})

const FieldIssue = builder.objectRef<Issue>('FieldIssue').implement({
  description: 'One error in the input.',
  fields: (t) => ({
    path: t.field({
      type: ['String'],
      description: 'The path to the wrong value, as keys and indexes from the root of the arguments.',
      resolve: ({ path }) => showPath(path),
    }),
    rule: t.exposeString('code', { description: 'The code of the rule that the value violates, from the catalogue of errors.' }),
    message: t.string({ description: 'What was found, and what is required.', resolve: ({ message }) => showUnseen(message) }),
    expected: t.string({ nullable: true, description: 'The allowed values, in words.', resolve: ({ expected }) => showUnseen(expected) }),
    actual: t.string({
      nullable: true,
      description: 'The value that was found, shortened to 80 characters.',
      resolve: ({ actual }) => showUnseen(actual),
    }),
  }),
})

export const ValidationError = builder.objectRef<Invalid>('ValidationError').implement({
  description: 'The input violates rules. All known violations are listed together. Nothing was changed.',
  interfaces: [UserError],
  fields: (t) => ({
    issues: t.field({
      type: [FieldIssue],
      description: 'The violations. If there are very many, only the first ones are listed.',
      resolve: ({ issues }) => [...issues],
    }),
    issueCount: t.exposeInt('issueCount', { description: 'How many violations were found, listed or not.' }),
  }),
})

export const NotFound = builder.objectRef<NotFoundShape>('NotFound').implement({
  description: 'An object that the call names does not exist.',
  interfaces: [UserError],
  fields: (t) => ({
    typeName: t.exposeString('noun', { description: 'The type of the missing object.' }),
    key: t.string({ description: 'The name or id in the call that no object has.', resolve: ({ key }) => showUnseen(key) }),
  }),
})

/** GraphQL names of failures that several unions contain, by the tag of the service's answer. */
const failureNames: Readonly<Record<string, string>> = {
  invalid: 'ValidationError',
  'not-found': 'NotFound',
  'version-conflict': 'VersionConflict',
  'claim-lost': 'ClaimLost',
}

/** A union of the results of a mutation. `names` adds GraphQL names, by the tag of the service's answer. */
export const resultUnion = <Member extends ObjectParam<typeof builder.$inferSchemaTypes>>(
  name: string,
  description: string,
  types: Member[],
  names: Readonly<Record<string, string>>,
) => {
  const all: Readonly<Record<string, string>> = { ...failureNames, ...names }
  return builder.unionType(name, { description, types, resolveType: (value: unknown) => all[(value as { type: string }).type] })
}
