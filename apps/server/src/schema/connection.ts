import type { ObjectRef } from '@pothos/core'
import { DEFAULT_PAGE, MAX_PAGE, type Page } from '../services/paging.ts'
import { builder } from './builder.ts'

/** The edge and connection types of a list, named after what it lists. */
export function connectionOf<Item, Listed extends Page<Item> = Page<Item>>(
  noun: string,
  node: ObjectRef<typeof builder.$inferSchemaTypes, Item, Item>,
  { withAsOf = false } = {},
) {
  const edge = builder.objectRef<Page<Item>['edges'][number]>(`${noun}Edge`).implement({
    description: `One ${noun} of a page, with its cursor.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Give it as `after` for what follows.' }),
      node: t.field({ type: node, description: 'The item itself.', resolve: (each) => each.node as never }),
    }),
  })
  return builder.objectRef<Listed>(`${noun}Connection`).implement({
    description: `A page of a list of type ${noun}.`,
    fields: (t) => ({
      edges: t.field({ type: [edge], description: 'Items with their cursors.', resolve: ({ edges }) => [...edges] }),
      nodes: t.field({ type: [node], description: 'Items alone.', resolve: ({ edges }) => edges.map((each) => each.node) as never }),
      pageInfo: t.field({
        type: builder.pageInfoRef(),
        description: 'Where the page lies.',
        resolve: ({ edges, bounds, hasNextPage, hasPreviousPage }) => ({
          hasNextPage,
          hasPreviousPage,
          startCursor: bounds?.start ?? edges[0]?.cursor ?? null,
          endCursor: bounds?.end ?? edges.at(-1)?.cursor ?? null,
        }),
      }),
      totalCount: t.int({ description: 'How many there are in all, with the same filter.', resolve: (page) => page.totalCount() }),
      ...(withAsOf
        ? {
            asOf: t.field({
              type: 'Revision' as const,
              description: 'The revision that the page was read at.',
              resolve: ({ asOf }: Listed) => asOf ?? 0,
            }),
          }
        : {}),
    }),
  })
}

/** The arguments of a connection. */
export const pageArgs = (defaultFirst = DEFAULT_PAGE) =>
  builder.args((t) => ({
    first: t.int({ defaultValue: defaultFirst, description: `How many at most, 1 to ${MAX_PAGE}.` }),
    after: t.string({ description: 'A cursor of the same list; what follows it is answered.' }),
  }))
