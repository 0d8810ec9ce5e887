import { type ApiKey as ApiKeyShape, type KeyDone, keyStates, stateOf } from '../services/keys.ts'
import { builder } from './builder.ts'
import { connectionOf, pageArgs } from './connection.ts'
import { NotFound, resultUnion, ValidationError } from './errors.ts'
import { Scope } from './scope.ts'

const ApiKeyState = builder.enumType('ApiKeyState', {
  description: 'Whether a key lets anybody in: ACTIVE does; EXPIRED and REVOKED do not, for good.',
  values: keyStates,
})

const ApiKey = builder.objectRef<ApiKeyShape>('ApiKey').implement({
  description: 'A way in for a service account. Its secret is kept nowhere, only a hash of it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id, as the audit names it.' }),
    name: t.exposeString('name', { description: 'For people.' }),
    account: t.exposeString('account', { description: 'The service account: idempotency keys and claims belong to it.' }),
    prefix: t.exposeString('prefix', { description: 'The part of the secret that may be shown, and of its hash.' }),
    state: t.field({ type: ApiKeyState, description: 'Whether it lets anybody in.', resolve: (key) => stateOf(key, Date.now()) }),
    scopes: t.field({ type: [Scope], description: 'What it may do.', resolve: ({ scopes }) => [...scopes] }),
    hosts: t.field({
      type: ['String'],
      description: 'The only hosts that it may report for; none: any.',
      resolve: ({ hosts }) => [...hosts],
    }),
    maxNodes: t.exposeInt('maxNodes', {
      nullable: true,
      description: 'Most nodes that each of its hosts may have, for it to report another one; null: 1.',
    }),
    project: t.exposeString('project', { nullable: true, description: 'The only project that it may place for; null: any.' }),
    replaces: t.exposeString('replaces', { nullable: true, description: 'Id of the key that it took the place of.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends by itself; null: never.' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was ended; null: it was not.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was used last; null: never. Uses at other replicas are seen within ten seconds.',
    }),
  }),
})

const ApiKeyConnection = connectionOf('ApiKey', ApiKey)

const ApiKeyPayload = builder.objectRef<KeyDone>('ApiKeyPayload').implement({
  description: 'It is as asked. Other replicas know it within five seconds.',
  fields: (t) => ({
    key: t.expose('key', { type: ApiKey, description: 'The key: after a rotation the new one.' }),
    secret: t.exposeString('secret', {
      nullable: true,
      description: 'What callers send as `Authorization: Bearer`. Told once, for a key that was made now; null otherwise.',
    }),
  }),
})

const ApiKeyResult = resultUnion('ApiKeyResult', 'Ends of calls about a key.', [ApiKeyPayload, NotFound, ValidationError], {
  done: 'ApiKeyPayload',
})

const ApiKeyCreateInput = builder.inputType('ApiKeyCreateInput', {
  description: 'A key for a service account; the account exists by its keys, and all of them are bound to the same project or to none.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'For people, 1 to 255 characters.' }),
    account: t.string({ required: true, description: 'The service account, 1 to 255 characters.' }),
    scopes: t.field({
      type: [Scope],
      required: true,
      description: 'At least one. With hosts: REPORT. With a project: of READ, SCHEDULE, CLAIM.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it ends by itself; never if not given.' }),
    hosts: t.stringList({ description: 'Names of the only hosts that it may report for, 1 to 100.' }),
    maxNodes: t.int({
      description:
        'Only with hosts: most nodes that each of them may have, those already there counted, for it to report another one, 1 to 10,000; 1 if not given.',
    }),
    project: t.string({
      description: 'The only project that it may place for. It may then name no host, and is told of none but those chosen.',
    }),
  }),
})

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyConnection,
    authScopes: { scope: 'ADMIN' },
    description: 'Keys, oldest first, those that ended too.',
    args: {
      ...pageArgs(),
      states: t.arg({ type: [ApiKeyState], description: 'In one of these states; in any if not given.' }),
      find: t.arg.string({ description: 'Part of the name, the account, the project or the prefix, in any case.' }),
    },
    resolve: (_root, args, { keys }) => keys.list(args),
  }),
)

builder.mutationFields((t) => ({
  apiKeyCreate: t.field({
    type: ApiKeyResult,
    authScopes: { scope: 'ADMIN' },
    description: 'Makes a key. Its secret is in this answer and nowhere else.',
    args: { input: t.arg({ type: ApiKeyCreateInput, required: true, description: 'The key.' }) },
    resolve: (_root, { input }, { keys }) =>
      keys.create({
        name: input.name,
        account: input.account,
        scopes: input.scopes,
        expiresAt: input.expiresAt ?? null,
        hosts: input.hosts ?? null,
        maxNodes: input.maxNodes ?? null,
        project: input.project ?? null,
      }),
  }),
  apiKeyRotate: t.field({
    type: ApiKeyResult,
    authScopes: { scope: 'ADMIN' },
    description: 'Makes a key like another, which works on until the overlap is over, so that its callers can change over.',
    args: {
      id: t.arg.id({ required: true, description: 'The old key.' }),
      overlap: t.arg({ type: 'Duration', description: 'How long the old key works on, PT0S to P30D; PT1H if not given.' }),
    },
    resolve: (_root, { id, overlap }, { keys }) => keys.rotate(id, overlap ?? null),
  }),
  apiKeyRevoke: t.field({
    type: ApiKeyResult,
    authScopes: { scope: 'ADMIN' },
    description: 'Ends a key at once; open streams of it end too. Repeating it is harmless. The last lasting key with ADMIN stays.',
    args: { id: t.arg.id({ required: true, description: 'The key.' }) },
    resolve: (_root, { id }, { keys }) => keys.revoke(id),
  }),
}))
