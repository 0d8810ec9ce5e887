import { SegmentedControl, Stack, Switch, Text, useMantineColorScheme } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Choice, choose, type Preference, usePreference } from '../../lib/browser/preferences.ts'
import { useScopes } from '../../lib/service/scopes.ts'
import { CopyAs } from '../../ui/copy-as.tsx'
import { NeedsScope } from '../../ui/dialog/needs-scope.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SETTINGS } from './documents.ts'
import { KeyLimits } from './key-limits.tsx'
import { ServerSettings } from './server-settings.tsx'

/** The preferences of this browser, and the settings of the service. */
export function SettingsPage() {
  const { scopes, may, error, retry } = useScopes()
  const mayRead = may('OPERATE')
  return (
    <Page title="Settings" aside={mayRead === true ? <CopyAs call={{ document: SETTINGS }} /> : null}>
      <Stack gap="md">
        <section aria-label="In this browser">
          <Heading keys="1">In this browser</Heading>
          <Text size="sm" c="dimmed" mb="xs">
            Stored in this browser; applies to all of its tabs.
          </Text>
          <Stack gap="sm" align="flex-start">
            <Colours />
            <Choices name="contrast" label="Contrast" names={{ normal: 'Normal', high: 'High' }} />
            <Choices name="timezone" label="Times" names={{ local: 'Local', utc: 'UTC' }} />
            <Choices name="units" label="Memory and disk" names={{ scaled: 'Largest unit', exact: 'MiB and GiB' }} />
            <Choices name="density" label="Rows of lists" names={{ compact: 'Compact', cosy: 'Cosy' }} />
            <OnOff name="live" label="Lists start with live updates" />
            <OnOff name="shortcuts" label="Single-key shortcuts" />
          </Stack>
        </section>
        {mayRead === true ? (
          <section aria-label="Idempotency keys">
            <Heading keys="2">Idempotency keys</Heading>
            <KeyLimits />
          </section>
        ) : null}
        <section aria-label="Service settings">
          <Heading keys="3">Service settings</Heading>
          {error ? <Problem error={error} onRetry={retry} /> : null}
          {mayRead === false ? <NeedsScope what="settings of the service" scope="OPERATE" scopes={scopes} /> : null}
          {mayRead === true ? <ServerSettings /> : null}
        </section>
      </Stack>
    </Page>
  )
}

const schemes = [
  { value: 'auto', label: 'Same as the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

function Colours() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Labelled label="Colours">
      <SegmentedControl
        size="xs"
        aria-label="Colours"
        value={colorScheme}
        data={[...schemes]}
        onChange={(next) => setColorScheme(schemes.find(({ value }) => value === next)?.value ?? 'auto')}
      />
    </Labelled>
  )
}

interface ChoicesProps<Name extends Preference> {
  readonly name: Name
  readonly label: string
  /** The labels of the values, in the order in which they are shown. */
  readonly names: Readonly<Record<Choice<Name>, string>>
}

function Choices<Name extends Preference>({ name, label, names }: ChoicesProps<Name>) {
  const value = usePreference(name)
  const values = Object.keys(names) as Choice<Name>[]
  return (
    <Labelled label={label}>
      <SegmentedControl
        size="xs"
        aria-label={label}
        value={value}
        data={values.map((one) => ({ value: one, label: names[one] }))}
        onChange={(next) => choose(name, next)}
      />
    </Labelled>
  )
}

function OnOff({ name, label }: { readonly name: 'live' | 'shortcuts'; readonly label: string }) {
  const value = usePreference(name)
  return (
    <Switch label={label} checked={value === 'on'} onChange={({ currentTarget: { checked } }) => choose(name, checked ? 'on' : 'off')} />
  )
}

function Labelled({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="sm" component="div" mb={2}>
        {label}
      </Text>
      {children}
    </div>
  )
}
