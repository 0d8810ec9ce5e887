import type { Caller } from '../../auth/caller.ts'
import { builder } from '../builder.ts'
import { Scope } from '../types/scope.ts'

const ActorKind = builder.enumType('ActorKind', { description: 'The kinds of callers.', values: ['USER', 'API_KEY', 'SYSTEM'] as const })

const Actor = builder.objectRef<Caller>('Actor').implement({
  description: 'The caller of a request: an API key or a process.',
  fields: (t) => ({
    kind: t.field({ type: ActorKind, description: 'The kind of caller.', resolve: () => 'API_KEY' as const }),
    name: t.exposeString('name', { description: 'The name of the API key.' }),
    account: t.exposeString('account', { description: 'The service account that owns the idempotency keys and claims of the caller.' }),
    id: t.id({ nullable: true, description: 'The id of the API key.', resolve: ({ keyId }) => keyId }),
  }),
})

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'The caller of this API.',
  fields: (t) => ({
    actor: t.field({ type: Actor, description: 'The API key or process that makes this call.', resolve: (caller) => caller }),
    scopes: t.field({ type: [Scope], description: 'The scopes of the caller.', resolve: (caller) => [...caller.scopes] }),
    hosts: t.field({
      type: ['String'],
      description: "The only hosts for which the caller's key may send reports; empty if the key is not bound to hosts.",
      resolve: ({ hosts }) => [...hosts],
    }),
    project: t.exposeString('project', {
      nullable: true,
      description: "The only project for which the caller's key may place instances; null if the key is not bound to a project.",
    }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    authScopes: (_root, _args, { caller }) => caller.scopes.length > 0,
    description: 'The caller of this request. Every API key may read it.',
    resolve: (_root, _args, { caller }) => caller,
  }),
)
