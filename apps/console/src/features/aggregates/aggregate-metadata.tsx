import { Text } from '@mantine/core'
import { useOperation } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heading } from '../../ui/heading.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import { type AGGREGATE, ASKED } from './documents.ts'
import { countNaming } from './rows.ts'

type Entry = NonNullable<ResultOf<typeof AGGREGATE>['aggregate']>['metadata'][number]
type Reader = Entry['readers'][number]

/** The metadata, with the filters and weighers that read each key. A key that nothing reads has no effect and is often misspelled. */
export function AggregateMetadata({ metadata }: { readonly metadata: readonly Entry[] }) {
  const { data } = useOperation(ASKED, {}, { enabled: metadata.length > 0, staleMs: 60_000 })
  return (
    <section aria-label="Metadata">
      <Heading keys="1" call={metadata.length === 0 ? undefined : { document: ASKED }}>
        Metadata
      </Heading>
      <SmallTable
        label="Keys of the metadata"
        isNarrow
        empty="No metadata."
        rows={metadata}
        rowKey={({ key }) => key}
        rowAttributes={({ key }) => ({ 'data-key': key })}
        columns={[
          { head: 'Key', className: 'mono', cell: ({ key }) => key },
          { head: 'Value', className: 'mono breaks', cell: ({ value }) => value },
          {
            head: 'Read by',
            cell: (entry) => (
              <>
                <ReadBy entry={entry} />
                {data === undefined ? null : <NamedBy flavors={data.activity.flavors} name={entry.key} />}
              </>
            ),
          },
        ]}
      />
    </section>
  )
}

function ReadBy({ entry: { readers, isOwn, unusedReaders, similarKeys } }: { readonly entry: Entry }) {
  return (
    <>
      {isOwn ? <div>the service itself, for every profile</div> : null}
      {readers.map((reader) => (
        <ReaderLine key={`${reader.part} ${reader.key} ${reader.by}`} reader={reader} />
      ))}
      {readers.length === 0 && !isOwn ? (
        <div data-unread>
          <span aria-hidden>! </span>No filter or weigher of a profile in use reads this key.
        </div>
      ) : null}
      {unusedReaders.length === 0 ? null : (
        <div data-unused={unusedReaders.join(' ')}>
          <span aria-hidden>! </span>Read only by filters and weighers that no profile in use has: {unusedReaders.join(', ')}.
        </div>
      )}
      {similarKeys.length === 0 ? null : (
        <div data-similar={similarKeys.join(' ')}>
          <span aria-hidden>! </span>No filter or weigher knows this key. Is it meant to be{' '}
          {similarKeys.map((key, i) => (
            <span key={key}>
              {i === 0 ? '' : ' or '}
              <span className="mono">{key}</span>
            </span>
          ))}
          ?
        </div>
      )}
    </>
  )
}

/**
 * A filter or weigher that reads the key, with the profiles that use it. Some filters and weighers read the key only if a request names it,
 * for example in an extra spec. The line then shows in which part of a request the key must be named.
 */
function ReaderLine({ reader: { part, by, profiles } }: { readonly reader: Reader }) {
  return (
    <Text component="div" inherit data-reader={part} {...(by === null ? {} : { c: 'dimmed' })}>
      {part}
      {by === null ? '' : `, where ${by} name it`} (
      {profiles.map((ref, i) => {
        const [name = ref] = ref.split('@')
        return (
          <span key={ref}>
            {i === 0 ? '' : ', '}
            <AnchorLink inherit underline="always" to="/profiles/$name" params={{ name }}>
              {ref}
            </AnchorLink>
          </span>
        )
      })}
      )
    </Text>
  )
}

type Flavors = ResultOf<typeof ASKED>['activity']['flavors']

/** How many of the most requested flavors name the key in their extra specs. Renders nothing if none does. */
function NamedBy({ flavors, name }: { readonly flavors: Flavors; readonly name: string }) {
  const count = countNaming(flavors, name)
  if (count === 0) return null
  return (
    <div data-named={count}>
      {count} of the {flavors.length} most requested flavors of the last seven days, {count === 1 ? 'names' : 'name'} this key.
    </div>
  )
}
