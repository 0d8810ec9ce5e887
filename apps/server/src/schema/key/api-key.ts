import { type ApiKey as ApiKeyShape, type KeyDone, keyStates, stateOf } from '../../services/key/keys.ts'
import { builder } from '../builder.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { NotFound, resultUnion, ValidationError } from '../types/errors.ts'
import { Scope } from '../types/scope.ts'

const ApiKeyState = builder.enumType('ApiKeyState', {
  description: 'The validity of a key. An ACTIVE key is valid. An EXPIRED or REVOKED key is permanently invalid.',
  values: keyStates,
})

const ApiKey = builder.objectRef<ApiKeyShape>('ApiKey').implement({
  description: 'An API key of a service account. Only a hash of its secret is stored.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the key, which the audit uses too.' }),
    name: t.exposeString('name', { description: 'The name of the key, for people.' }),
    account: t.exposeString('account', {
      description: 'The service account that owns the idempotency keys and claims of calls with this key.',
    }),
    prefix: t.exposeString('prefix', {
      description: 'The beginning of the secret, by which people recognise the key. It is stored in addition to the hash.',
    }),
    state: t.field({
      type: ApiKeyState,
      description: 'The state of the key, which is valid if it is ACTIVE.',
      resolve: (key) => stateOf(key, Date.now()),
    }),
    scopes: t.field({ type: [Scope], description: 'The scopes of the key.', resolve: ({ scopes }) => [...scopes] }),
    hosts: t.field({
      type: ['String'],
      description: 'The only hosts for which the key may send reports; empty if it is not bound to hosts.',
      resolve: ({ hosts }) => [...hosts],
    }),
    maxNodes: t.exposeInt('maxNodes', {
      nullable: true,
      description: 'The key may report new nodes of a host until the host has this many nodes; null means 1.',
    }),
    project: t.exposeString('project', {
      nullable: true,
      description: 'The only project for which the key may place instances; null if it is not bound to a project.',
    }),
    replaces: t.exposeString('replaces', {
      nullable: true,
      description: 'The id of the key from which this key was rotated; null if it was not made by a rotation.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was created.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When the key expires; null if it never expires.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was revoked; null if it was not revoked.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used; null if it was never used. A use at another replica appears within ten seconds.',
    }),
  }),
})

const ApiKeyConnection = connectionOf('ApiKey', ApiKey)

const ApiKeyPayload = builder.objectRef<KeyDone>('ApiKeyPayload').implement({
  description: 'The key is in the requested state. Other replicas apply the change within five seconds.',
  fields: (t) => ({
    key: t.expose('key', { type: ApiKey, description: 'The key; after a rotation, the new key.' }),
    secret: t.exposeString('secret', {
      nullable: true,
      description:
        'The secret of the key, which callers send as `Authorization: Bearer`. Only the call that creates the key, or that creates a new key by a rotation, returns the secret. Null for all other calls.',
    }),
  }),
})

const ApiKeyResult = resultUnion('ApiKeyResult', 'Outcomes of calls about a key.', [ApiKeyPayload, NotFound, ValidationError], {
  done: 'ApiKeyPayload',
})

const ApiKeyCreateInput = builder.inputType('ApiKeyCreateInput', {
  description:
    'A new key for a service account. An account exists as long as it has keys. All keys of an account are bound to the same project, or all to no project.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name of the key, for people, 1 to 255 characters.' }),
    account: t.string({ required: true, description: 'The service account, 1 to 255 characters.' }),
    scopes: t.field({
      type: [Scope],
      required: true,
      description:
        'The scopes of the key, at least one. A key with `hosts` must have only REPORT. A key with `project` may have only READ, SCHEDULE and CLAIM.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When the key expires; by default it never expires.' }),
    hosts: t.stringList({ description: 'The names of the only hosts for which the key may send reports, 1 to 100 names.' }),
    maxNodes: t.int({
      description:
        'Allowed only with `hosts`. The key may report new nodes of a host until the host has this many nodes, existing ones included. 1 to 10,000; 1 by default.',
    }),
    project: t.string({
      description:
        'The only project for which the key may place instances. A key with a project cannot name hosts in requests, and can read only the names of hosts that its calls chose.',
    }),
  }),
})

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyConnection,
    authScopes: { scope: 'ADMIN' },
    description: 'All API keys, oldest first, including expired and revoked ones.',
    args: {
      ...pageArgs(),
      states: t.arg({ type: [ApiKeyState], description: 'Only keys in one of these states; by default keys in any state.' }),
      find: t.arg.string({ description: 'Only keys whose name, account, project or prefix contains this text, ignoring case.' }),
    },
    resolve: (_root, args, { keys }) => keys.list(args),
  }),
)

builder.mutationFields((t) => ({
  apiKeyCreate: t.field({
    type: ApiKeyResult,
    authScopes: { scope: 'ADMIN' },
    description: 'Creates an API key. Only this answer contains the secret of the key.',
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
    description:
      'Creates a new API key with the same properties as an old one. The old key stays valid until the overlap ends, so that its callers have time to change to the new key.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the old key.' }),
      overlap: t.arg({ type: 'Duration', description: 'How long the old key stays valid, PT0S to P30D; PT1H by default.' }),
    },
    resolve: (_root, { id, overlap }, { keys }) => keys.rotate(id, overlap ?? null),
  }),
  apiKeyRevoke: t.field({
    type: ApiKeyResult,
    authScopes: { scope: 'ADMIN' },
    description:
      "Revokes an API key at once and ends the key's open streams. Repeating the call is harmless. The last key with ADMIN and without expiry cannot be revoked.",
    args: { id: t.arg.id({ required: true, description: 'Id of the key to revoke.' }) },
    resolve: (_root, { id }, { keys }) => keys.revoke(id),
  }),
}))
