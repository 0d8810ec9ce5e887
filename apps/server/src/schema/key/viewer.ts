import type { Caller } from '../../auth/caller.ts'
import { builder } from '../builder.ts'
import { Scope } from '../types/scope.ts'

const ActorKind = builder.enumType('ActorKind', { description: 'The kinds of callers.', values: ['USER', 'API_KEY', 'SYSTEM'] as const })

const Actor = builder.objectRef<Caller>('Actor').implement({
  description: 'The key or process that does something.',
  fields: (t) => ({
    kind: t.field({ type: ActorKind, description: 'The kind of caller.', resolve: () => 'API_KEY' as const }),
    name: t.exposeString('name', { description: "The key's name." }),
    account: t.exposeString('account', { description: 'The service account: idempotency keys and claims belong to it.' }),
    id: t.id({ nullable: true, description: "The key's id.", resolve: ({ keyId }) => keyId }),
  }),
})

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'The caller of this API.',
  fields: (t) => ({
    actor: t.field({ type: Actor, description: 'The key that makes this call.', resolve: (caller) => caller }),
    scopes: t.field({ type: [Scope], description: 'The scopes of the caller.', resolve: (caller) => [...caller.scopes] }),
    hosts: t.field({
      type: ['String'],
      description: 'The only hosts that it may report for; null: any.',
      resolve: ({ hosts }) => [...hosts],
    }),
    project: t.exposeString('project', { nullable: true, description: 'The only project that it may place for; null: any.' }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    authScopes: (_root, _args, { caller }) => caller.scopes.length > 0,
    description: 'The caller of this request. Every key may read it.',
    resolve: (_root, _args, { caller }) => caller,
  }),
)
