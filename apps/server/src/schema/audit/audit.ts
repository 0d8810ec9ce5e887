import type { AuditRow } from '../../services/audit/audit.ts'
import { builder } from '../builder.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'

export const AuditEntry = builder.objectRef<AuditRow>('AuditEntry').implement({
  description: 'One mutation: caller, operation, target and outcome. Rows are never changed; each contains the hash of the one before.',
  fields: (t) => ({
    seq: t.expose('seq', { type: 'SafeInt', description: 'The number of the row: 1, 2, 3, ... without gaps.' }),
    id: t.exposeID('id', { description: 'Id of the entry.' }),
    at: t.expose('at', { type: 'DateTime', description: "The time of the answer, by the replica's clock." }),
    account: t.exposeString('account', { description: 'The service account of the caller.' }),
    keyId: t.exposeString('keyId', { description: 'The API key of the caller.' }),
    mutation: t.exposeString('mutation', { description: 'Name of the mutation.' }),
    target: t.exposeString('target', { description: 'The target of the mutation, in short.' }),
    summary: t.exposeString('summary', { description: 'The arguments as canonical JSON, shortened, without secrets.' }),
    result: t.exposeString('result', { description: 'The type of the answer, or the code of the error.' }),
    requestId: t.exposeString('requestId', { description: 'The id of the request, as in its answer and in the logs.' }),
    previous: t.exposeString('previous', { description: 'The hash of the row before; 64 zeros for the first row.' }),
    hash: t.exposeString('hash', { description: 'sha256 over the canonical JSON of all other fields, `at` in milliseconds since 1970.' }),
  }),
})

const AuditConnection = connectionOf('AuditEntry', AuditEntry)

builder.queryField('auditLog', (t) =>
  t.field({
    type: AuditConnection,
    authScopes: { scope: 'OPERATE' },
    description: 'Every mutation, newest first.',
    args: {
      ...pageArgs(),
      query: t.arg.string({ description: 'A filter in the filter grammar: account:nova mutation:claim* last:1h (docs/query.md).' }),
      oldestFirst: t.arg.boolean({ defaultValue: false, description: 'The rows in the order of the chain.' }),
    },
    resolve: (_root, args, { audit }) => audit.list(args),
  }),
)
