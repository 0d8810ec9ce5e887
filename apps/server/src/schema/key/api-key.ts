import { type ApiKey as ApiKeyShape, type KeyDone, keyStates, stateOf } from '../../services/key/keys.ts'
import { builder } from '../builder.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { NotFound, resultUnion, ValidationError } from '../types/errors.ts'
import { Scope } from '../types/scope.ts'

const ApiKeyState = builder.enumType('ApiKeyState', {
  description: 'Whether a key is valid: ACTIVE is; EXPIRED and REVOKED are not, permanently.',
  values: keyStates,
})

const ApiKey = builder.objectRef<ApiKeyShape>('ApiKey').implement({
  description: 'An API key of a service account. Only a hash of its secret is stored.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the key, as the audit names it.' }),
    name: t.exposeString('name', { description: 'Name of the key, for people.' }),
    account: t.exposeString('account', { description: 'The service account: idempotency keys and claims belong to it.' }),
    prefix: t.exposeString('prefix', { description: 'The part of the secret that may be shown; it is stored next to the hash.' }),
    state: t.field({ type: ApiKeyState, description: 'Whether the key is valid.', resolve: (key) => stateOf(key, Date.now()) }),
    scopes: t.field({ type: [Scope], description: 'The scopes of the key.', resolve: ({ scopes }) => [...scopes] }),
    hosts: t.field({
      type: ['String'],
      description: 'The only hosts that it may report for; null: any.',
      resolve: ({ hosts }) => [...hosts],
    }),
    maxNodes: t.exposeInt('maxNodes', {
      nullable: true,
      description: 'The maximum number of nodes of each of its hosts, up to which it may report new ones; null: 1.',
    }),
    project: t.exposeString('project', { nullable: true, description: 'The only project that it may place for; null: any.' }),
    replaces: t.exposeString('replaces', { nullable: true, description: 'The id of the key that it replaced.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time of creation.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'The expiry; null: never.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time at which it was revoked; null: it was not.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time of its last use; null: never. Uses at other replicas are seen within ten seconds.',
    }),
  }),
})

const ApiKeyConnection = connectionOf('ApiKey', ApiKey)

const ApiKeyPayload = builder.objectRef<KeyDone>('ApiKeyPayload').implement({
  description: 'The key is in the requested state. Other replicas know it within five seconds.',
  fields: (t) => ({
    key: t.expose('key', { type: ApiKey, description: 'The key: after a rotation the new one.' }),
    secret: t.exposeString('secret', {
      nullable: true,
      description:
        'The secret that callers send as `Authorization: Bearer`. Returned once, by the call that creates the key; null otherwise.',
    }),
  }),
})

const ApiKeyResult = resultUnion('ApiKeyResult', 'Outcomes of calls about a key.', [ApiKeyPayload, NotFound, ValidationError], {
  done: 'ApiKeyPayload',
})

const ApiKeyCreateInput = builder.inputType('ApiKeyCreateInput', {
  description:
    'A key for a service account. The account exists as long as it has keys, and all of them are bound to the same project or to none.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The label for people, 1 to 255 characters.' }),
    account: t.string({ required: true, description: 'The service account, 1 to 255 characters.' }),
    scopes: t.field({
      type: [Scope],
      required: true,
      description: 'At least one scope. With hosts: REPORT. With a project: of READ, SCHEDULE, CLAIM.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'The expiry; never by default.' }),
    hosts: t.stringList({ description: 'The names of the only hosts that it may report for, 1 to 100.' }),
    maxNodes: t.int({
      description:
        'Only with hosts: the maximum number of nodes of each of them, existing ones included, up to which it may report new ones, 1 to 10,000; 1 by default.',
    }),
    project: t.string({
      description: 'The only project that it may place for. The key may then name no host, and sees only chosen hosts.',
    }),
  }),
})

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyConnection,
    authScopes: { scope: 'ADMIN' },
    description: 'Keys, oldest first, including those that ended.',
    args: {
      ...pageArgs(),
      states: t.arg({ type: [ApiKeyState], description: 'Only keys in one of these states; all by default.' }),
      find: t.arg.string({ description: 'A part of the name, the account, the project or the prefix, in any case.' }),
    },
    resolve: (_root, args, { keys }) => keys.list(args),
  }),
)

builder.mutationFields((t) => ({
  apiKeyCreate: t.field({
    type: ApiKeyResult,
    authScopes: { scope: 'ADMIN' },
    description: 'Creates a key. Its secret is in this answer and nowhere else.',
    args: { input: t.arg({ type: ApiKeyCreateInput, required: true, description: 'The key to create.' }) },
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
    description: 'Creates a key like another one, which stays valid until the end of the overlap, so that its callers can change over.',
    args: {
      id: t.arg.id({ required: true, description: 'The old key.' }),
      overlap: t.arg({ type: 'Duration', description: 'How long the old key stays valid, PT0S to P30D; PT1H by default.' }),
    },
    resolve: (_root, { id, overlap }, { keys }) => keys.rotate(id, overlap ?? null),
  }),
  apiKeyRevoke: t.field({
    type: ApiKeyResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Revokes a key at once; its open streams end too. Repeating the call is harmless. The last key with ADMIN and without expiry cannot be revoked.',
    args: { id: t.arg.id({ required: true, description: 'Id of the key to revoke.' }) },
    resolve: (_root, { id }, { keys }) => keys.revoke(id),
  }),
}))
