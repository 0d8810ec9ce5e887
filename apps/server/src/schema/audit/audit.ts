import type { AuditRow } from '../../services/audit/audit.ts'
import { builder } from '../builder.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'

export const AuditEntry = builder.objectRef<AuditRow>('AuditEntry').implement({
  description:
    'The record of one mutation: caller, operation, target and outcome. Records never change, and each contains the hash of the previous one.',
  fields: (t) => ({
    seq: t.expose('seq', { type: 'SafeInt', description: 'The number of the record: 1, 2, 3, ... without gaps.' }),
    id: t.exposeID('id', { description: 'Id of the entry.' }),
    at: t.expose('at', { type: 'DateTime', description: "When the mutation was answered, by the replica's clock." }),
    account: t.exposeString('account', { description: 'The service account of the caller.' }),
    keyId: t.exposeString('keyId', { description: 'The API key of the caller.' }),
    mutation: t.exposeString('mutation', { description: 'The name of the mutation.' }),
    target: t.exposeString('target', { description: 'The object that the mutation changed, in short form.' }),
    summary: t.exposeString('summary', { description: 'The arguments of the mutation as canonical JSON, shortened and without secrets.' }),
    result: t.exposeString('result', { description: 'The GraphQL type of the answer, or the code of the error.' }),
    requestId: t.exposeString('requestId', {
      description: 'The id of the HTTP request. Its response and its log lines contain the same id.',
    }),
    previous: t.exposeString('previous', { description: 'The hash of the previous record; 64 zeros for the first record.' }),
    hash: t.exposeString('hash', {
      description: 'The SHA-256 hash of the canonical JSON of all other fields, with `at` in milliseconds since 1970.',
    }),
  }),
})

const AuditConnection = connectionOf('AuditEntry', AuditEntry)

builder.queryField('auditLog', (t) =>
  t.field({
    type: AuditConnection,
    authScopes: { scope: 'OPERATE' },
    description: 'The records of all mutations, newest first.',
    args: {
      ...pageArgs(),
      query: t.arg.string({
        description: 'A filter in the filter grammar, such as `account:nova mutation:claim* last:1h` (docs/query.md).',
      }),
      oldestFirst: t.arg.boolean({ defaultValue: false, description: 'True: oldest record first, which is the order of the hash chain.' }),
    },
    resolve: (_root, args, { audit }) => audit.list(args),
  }),
)
