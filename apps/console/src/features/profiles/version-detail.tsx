import { Alert, Badge, Group, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatNumber, formatSigned } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { WriteButton } from '../../ui/dialog/write-button.tsx'
import { FieldChanges } from '../../ui/field-changes.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import { type Course, NO_OPTIONS, optionsText, type Step, stepsFor } from './course.ts'
import { VERSION } from './documents.ts'
import { StateBadge } from './state-badge.tsx'

type Version = Extract<NonNullable<ResultOf<typeof VERSION>['node']>, { readonly __typename: 'ProfileVersion' }>

interface VersionDetailProps {
  /** Global id of the version. */
  readonly id: string
  readonly number: number
  readonly course: Course
  readonly scopes: readonly string[]
  onStep(step: Step): void
}

const stepNames = { shadow: 'Try as a shadow', canary: 'Canary', activate: 'Activate' } as const

/** The content of a version, and its differences from the active version. */
export function VersionDetail({ id, number, course, scopes, onStep }: VersionDetailProps) {
  const { data, error, refetch } = useOperation(VERSION, { id }, { staleMs: 10_000 })
  const version = data?.node?.__typename === 'ProfileVersion' && data.node.number === number ? data.node : undefined
  const steps = stepsFor(number, course)
  return (
    <section aria-label="Version">
      <Heading keys="3" call={{ document: VERSION, variables: { id } }}>{`Version ${number}`}</Heading>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {version === undefined ? (
        error ? null : (
          <Skeleton height={200} role="status" aria-label="The version is being loaded" />
        )
      ) : (
        <>
          <Group gap="xs" my={4}>
            <StateBadge state={version.state} percent={version.state === 'CANARY' ? course.rollout?.percent : undefined} />
            {steps.length === 0 ? (
              <Text size="sm">This version is active.</Text>
            ) : scopes.includes('ADMIN') ? (
              steps.map((step) => (
                <WriteButton
                  key={step}
                  size="compact-sm"
                  variant={step === 'activate' ? 'filled' : 'outline'}
                  onClick={() => onStep(step)}
                  data-step={step}
                >
                  {step === 'canary' && version.state === 'CANARY' ? 'Change the share' : stepNames[step]}
                </WriteButton>
              ))
            ) : (
              <Text size="sm" c="dimmed">
                (to try or activate it a key needs ADMIN; yours has {scopes.join(', ')})
              </Text>
            )}
          </Group>
          <Summary version={version} />
          <Changes version={version} active={course.active.number} />
          <Filters version={version} />
          <Weighers version={version} />
        </>
      )}
    </section>
  )
}

/** Texts for the normalisation of raw numbers, by its name in the API. Each text is the end of a sentence. */
export const normalisations: Readonly<Record<string, string>> = {
  MINMAX: 'scaled between the least and the greatest among the hosts that passed',
  FIXED: 'none, raw numbers',
  RANK: 'the share of hosts with a lower number',
}

const kindNames = {
  CLASSES: 'CPUs, memory, disk and other amounts',
  NUMA: 'NUMA cells',
  GPU: 'GPUs',
  PCI: 'PCI devices',
  POOLS: 'disk space in shared pools',
} as const

/** A summary of the version's settings in a few sentences. */
function Summary({ version }: { readonly version: Version }) {
  const { note, scheduler, schedulerName, hostSubsetSize, normalisation, tieOrder, compat, collects, nova, assignment } = version
  const inside = optionsText(assignment)
  const chosen =
    scheduler === 'CHANCE'
      ? 'The seed selects one of the hosts that pass.'
      : scheduler === 'PLUGIN'
        ? `The scheduler ${schedulerName} of a plug-in selects a host that passes.`
        : hostSubsetSize > 1
          ? `The seed selects one of the ${hostSubsetSize} best hosts.`
          : 'The best host is selected.'
  return (
    <>
      {note === null ? null : <Text size="sm">{note}</Text>}
      <Text size="sm" c="dimmed">
        {chosen} Normalisation: {normalisations[normalisation] ?? normalisation.toLowerCase()}. Among equal hosts,{' '}
        {tieOrder === 'FIRST_SEEN' ? 'the one that reported first is preferred' : 'the seed decides'}.
        {compat === 'NOVA' ? ' It decides as Nova does, including its surprising behaviour.' : ''}
        {nova === null
          ? ''
          : ` Each instance gets at most ${nova.maxAttempts} ${nova.maxAttempts === 1 ? 'host' : 'hosts'}, alternates included; ${nova.packing ? 'the fullest' : 'the emptiest'} NUMA cells are tried first${nova.shuffleBest ? '; hosts with equal scores are shuffled' : ''}.${placementText(nova.placement)}`}
        {inside === NO_OPTIONS ? '' : ` Inside a host: ${inside}.`}
        {collects === null
          ? ''
          : ` Hosts need to report only these resources: ${collects.map((kind) => kindNames[kind]).join(', ') || 'none'}.`}
      </Text>
    </>
  )
}

/** The checks of Placement before Nova's filters, if the version sets them. */
function placementText(placement: NonNullable<Version['nova']>['placement']): string {
  if (placement === null) return ''
  const { availabilityZone, limitTenants, tenantsNeedAggregate, isolateAggregates, imageType } = placement
  const kept = [
    ...(availabilityZone ? ['availability zones'] : []),
    ...(limitTenants
      ? [tenantsNeedAggregate ? 'aggregates of tenants, without which a tenant gets no host' : 'aggregates of tenants']
      : []),
    ...(isolateAggregates ? ['aggregates reserved for traits'] : []),
    ...(imageType ? ['disk formats of images'] : []),
  ]
  return ` Before the filters it enforces traits, requested destinations${kept.map((one) => `, ${one}`).join('')}.`
}

function Changes({ version: { diff, number, state }, active }: { readonly version: Version; readonly active: number }) {
  if (state === 'ACTIVE') return null
  if (diff.length === 0)
    return (
      <Alert color="gray" p="xs" my="xs" title={`Same as version ${active}, which decides`}>
        <Text size="sm">This version would make the same decisions.</Text>
      </Alert>
    )
  return (
    <Part title={`Differences from version ${active}, which decides`}>
      {(label) => <FieldChanges label={label} maxHeight="280px" changes={diff} sides={[`Version ${active}`, `Version ${number}`]} />}
    </Part>
  )
}

function Filters({ version: { filters } }: { readonly version: Version }) {
  return (
    <Part title="Filters, in the order of evaluation">
      {(label) => (
        <SmallTable
          label={label}
          rows={filters}
          rowKey={({ name }) => name}
          rowAttributes={({ name, shadow }) => ({ 'data-filter': name, 'data-shadow': shadow || undefined })}
          columns={[
            { head: '#', isNumber: true, cell: ({ order }) => order + 1 },
            {
              head: 'Filter',
              className: 'narrow',
              cell: ({ name, shadow }) => (
                <>
                  {name}
                  {shadow ? (
                    <div>
                      <Badge
                        variant="light"
                        color="grape"
                        tt="none"
                        miw="max-content"
                        title="The filter is evaluated, but refuses no host."
                      >
                        shadow: refuses no host
                      </Badge>
                    </div>
                  ) : null}
                </>
              ),
            },
            { head: 'What a host must have to pass', cell: ({ description }) => description },
            { head: 'Options', className: 'profile-options', cell: ({ options }) => optionsText(options) },
          ]}
        />
      )}
    </Part>
  )
}

function Weighers({ version: { weighers } }: { readonly version: Version }) {
  if (weighers.length === 0)
    return (
      <Text size="sm" mt="sm">
        This version has no weigher, so the order of hosts decides.
      </Text>
    )
  return (
    <Part title="Weighers">
      {(label) => (
        <SmallTable
          label={label}
          rows={weighers}
          rowKey={({ name }) => name}
          rowAttributes={({ name }) => ({ 'data-weigher': name })}
          columns={[
            { head: 'Weigher', className: 'narrow', cell: ({ name }) => name },
            { head: 'Multiplier', isNumber: true, cell: ({ multiplier }) => formatSigned(multiplier, formatNumber) },
            {
              head: 'What it prefers',
              cell: ({ description, multiplier }) =>
                `${description}${multiplier < 0 ? ' The negative multiplier reverses the order.' : multiplier === 0 ? ' Has no effect.' : ''}`,
            },
            { head: 'Options', className: 'profile-options', cell: ({ options }) => optionsText(options) },
          ]}
        />
      )}
    </Part>
  )
}

interface PartProps {
  readonly title: string
  /** Renders the content. `label` is the name of the section. */
  readonly children: (label: string) => ReactNode
}

function Part({ title, children }: PartProps) {
  return (
    <>
      <Text component="h3" fw={600} size="sm" mt="sm">
        {title}
      </Text>
      {children(title)}
    </>
  )
}
