import type { AuditRow } from '../services/audit.ts'
import { builder } from './builder.ts'
import { connectionOf, pageArgs } from './connection.ts'

export const AuditEntry = builder.objectRef<AuditRow>('AuditEntry').implement({
  description: 'One mutation: who, what, about what, and how it ended. Rows are never changed; each hashes the one before.',
  fields: (t) => ({
    seq: t.expose('seq', { type: 'SafeInt', description: 'Its place: 1, 2, 3, ... without gaps.' }),
    id: t.exposeID('id', { description: 'Its id.' }),
    at: t.expose('at', { type: 'DateTime', description: "When it was answered, by the replica's clock." }),
    account: t.exposeString('account', { description: 'The service account that called.' }),
    keyId: t.exposeString('keyId', { description: 'The key that it called with.' }),
    mutation: t.exposeString('mutation', { description: 'Name of the mutation.' }),
    target: t.exposeString('target', { description: 'What it was about, in short.' }),
    summary: t.exposeString('summary', { description: 'The arguments as canonical JSON, shortened, without secrets.' }),
    result: t.exposeString('result', { description: 'Type of the answer, or code of the fault.' }),
    requestId: t.exposeString('requestId', { description: 'Id of the request, as in its answer and in the logs.' }),
    previous: t.exposeString('previous', { description: 'Hash of the row before; 64 zeros for the first.' }),
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
      query: t.arg.string({ description: 'A line of the filter grammar: account:nova mutation:claim* last:1h (docs/query.md).' }),
      oldestFirst: t.arg.boolean({ defaultValue: false, description: 'In the order of the chain.' }),
    },
    resolve: (_root, args, { audit }) => audit.list(args),
  }),
)
