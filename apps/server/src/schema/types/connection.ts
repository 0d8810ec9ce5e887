import type { ObjectRef } from '@pothos/core'
import { DEFAULT_PAGE, MAX_PAGE, type Page } from '../../services/calls/paging.ts'
import { builder } from '../builder.ts'

/** The edge and connection types of a list, named after its items. */
export function connectionOf<Item, Listed extends Page<Item> = Page<Item>>(
  noun: string,
  node: ObjectRef<typeof builder.$inferSchemaTypes, Item, Item>,
  { withAsOf = false } = {},
) {
  const edge = builder.objectRef<Page<Item>['edges'][number]>(`${noun}Edge`).implement({
    description: `One ${noun} object in a page, with its cursor.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'The cursor of the item. Pass it as `after` to get the items that follow.' }),
      node: t.field({ type: node, description: 'The item itself.', resolve: (each) => each.node as never }),
    }),
  })
  return builder.objectRef<Listed>(`${noun}Connection`).implement({
    description: `One page of a list of ${noun} objects.`,
    fields: (t) => ({
      edges: t.field({ type: [edge], description: 'The items of the page, each with its cursor.', resolve: ({ edges }) => [...edges] }),
      nodes: t.field({
        type: [node],
        description: 'The items of the page, without their cursors.',
        resolve: ({ edges }) => edges.map((each) => each.node) as never,
      }),
      pageInfo: t.field({
        type: builder.pageInfoRef(),
        description: 'The cursors at both ends of the page, and whether further items exist before and after it.',
        resolve: ({ edges, bounds, hasNextPage, hasPreviousPage }) => ({
          hasNextPage,
          hasPreviousPage,
          startCursor: bounds?.start ?? edges[0]?.cursor ?? null,
          endCursor: bounds?.end ?? edges.at(-1)?.cursor ?? null,
        }),
      }),
      totalCount: t.int({ description: 'How many items the whole list has, on all pages together.', resolve: (page) => page.totalCount() }),
      ...(withAsOf
        ? {
            asOf: t.field({
              type: 'Revision' as const,
              description: 'The revision of the fleet from which the page was read.',
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
    first: t.int({ defaultValue: defaultFirst, description: `At most this many items are returned, 1 to ${MAX_PAGE}.` }),
    after: t.string({ description: 'A cursor from an earlier page of the same list. The items after this cursor are returned.' }),
  }))
