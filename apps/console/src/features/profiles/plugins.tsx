import { Alert, Skeleton, Text } from '@mantine/core'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import { PLUGINS } from './documents.ts'
import { parametersText } from './parameters.ts'
import { REFRESH_MS } from './refresh.ts'

type Plugin = ResultOf<typeof PLUGINS>['plugins'][number]

/** Lists the plug-ins that the answering replica has loaded. */
export function Plugins() {
  const { data, error, refetch, dataUpdatedAt } = useOperation(PLUGINS, {}, { everyMs: REFRESH_MS })
  return (
    <section aria-label="Plug-ins">
      <Heading keys="2" call={{ document: PLUGINS }}>
        Plug-ins
      </Heading>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined ? (
        error ? null : (
          <Skeleton height={60} role="status" aria-label="Plug-ins are being loaded" />
        )
      ) : data.plugins.length === 0 ? (
        <Text size="sm" c="dimmed">
          The answering replica has loaded no plug-ins. GANTT_PLUGINS names packages or paths, GANTT_EXTENDERS plug-ins that answer over
          HTTP.
        </Text>
      ) : (
        <Stale error={error} atMs={dataUpdatedAt} everyMs={REFRESH_MS}>
          {data.plugins.map((plugin) => (
            <PluginParts key={plugin.name} plugin={plugin} />
          ))}
        </Stale>
      )}
    </section>
  )
}

const MODES: Readonly<Record<Plugin['mode'], string>> = {
  TRUSTED: 'in the process of the service, from',
  ISOLATED: 'in a thread of its own, from',
  EXTENDER: 'an extender at',
}

function PluginParts({ plugin }: { readonly plugin: Plugin }) {
  const { name, version, description, mode, from, parts } = plugin
  return (
    <div data-plugin={name}>
      <Text size="sm" mt="xs">
        <strong>
          {name} {version}
        </strong>{' '}
        <span className="dimmed">
          {MODES[mode]} {from}
        </span>{' '}
        {description}
      </Text>
      <Failures plugin={plugin} />
      <SmallTable
        label={`Parts of ${name}`}
        rows={parts}
        rowKey={(part) => part.name}
        rowAttributes={(part) => ({ 'data-part': part.name })}
        columns={[
          { head: 'Part', className: 'narrow', cell: (part) => part.name },
          { head: 'Kind', cell: ({ kind }) => kind.toLowerCase().replaceAll('_', ' ') },
          { head: 'Description', cell: (part) => part.description },
          { head: 'Options', className: 'profile-options', cell: ({ parameters }) => parametersText(parameters) },
          { head: 'Reads', cell: ({ reads }) => reads.join(', ') },
          { head: 'Unit', cell: ({ unit }) => unit },
        ]}
      />
    </div>
  )
}

function Failures({ plugin: { failureCount, lastFailure } }: { readonly plugin: Plugin }) {
  const zone = useTimeZone()
  if (lastFailure === null)
    return (
      <Text size="sm" c="dimmed">
        no failure since the replica started
      </Text>
    )
  return (
    <Alert color="red" p="xs" my="xs" title={`${formatCount(failureCount)} failures since the replica started`}>
      The last, of {lastFailure.part} at <span title={titleOfTime(lastFailure.at)}>{formatTime(lastFailure.at, zone)}</span>:{' '}
      {lastFailure.message}
    </Alert>
  )
}
