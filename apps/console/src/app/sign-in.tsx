import { createClient, FaultError } from '@gantt/client'
import { Alert, Button, Checkbox, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { graphqlUrl } from '../lib/service/api.ts'
import { currentSession, signIn, useSession } from '../lib/service/session.ts'
import { Dialog } from '../ui/dialog/dialog.tsx'

/** The sign-in form, which tests the key. If a session ends while an operator works, the form covers the page, so that no input is lost. */
export function SignIn({ over = 'nothing' }: { readonly over?: 'nothing' | 'page' }) {
  if (over === 'page')
    return (
      <Dialog
        onClose={() => undefined}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        title="Sign in again"
        // the form also covers the palette, which would otherwise receive the typed key
        zIndex={10_000}
        centered
      >
        <KeyForm />
      </Dialog>
    )
  return (
    <main style={{ maxWidth: 440, margin: '12vh auto 0', padding: 16 }}>
      <Stack gap="md">
        <Title order={1} size="h2">
          Gantt
        </Title>
        <Text c="dimmed">Sign in with an API key that has the READ scope.</Text>
        <KeyForm />
        <Text size="sm" c="dimmed">
          The service prints its admin key at its first start. After signing in you return to the page that you opened.
        </Text>
      </Stack>
    </main>
  )
}

// While the sign-in form covers the page, Escape must not reach a dialog below it, which can hold a draft. This handler therefore runs
// before those of the dialogs.
addEventListener(
  'keydown',
  (event) => {
    const { key, reason } = currentSession()
    if (event.key === 'Escape' && key === undefined && reason === 'unknown-key') event.stopImmediatePropagation()
  },
  { capture: true },
)

function KeyForm() {
  const { reason } = useSession()
  const [key, setKey] = useState('')
  const [keep, setKeep] = useState(true)
  const [problem, setProblem] = useState<string | undefined>(reason === 'unknown-key' ? 'The API key is no longer valid.' : undefined)
  const [isTrying, setTrying] = useState(false)

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const wanted = key.trim()
    if (wanted === '') {
      setProblem('Enter an API key.')
      return
    }
    setTrying(true)
    tryKey(wanted)
      .then((refusal) => (refusal === undefined ? signIn(wanted, keep) : setProblem(refusal)))
      .finally(() => setTrying(false))
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {problem === undefined ? null : (
          <Alert color="red" role="alert">
            {problem}
          </Alert>
        )}
        <PasswordInput
          label="API key"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="current-password"
          data-autofocus
          autoFocus
        />
        <Checkbox label="Stay signed in on this computer" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
        <Button type="submit" loading={isTrying}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

/** Tries a key. Returns the reason if the key cannot be used, otherwise undefined. */
async function tryKey(key: string): Promise<string | undefined> {
  try {
    const { viewer } = await createClient({ url: graphqlUrl(), key }).request<{ readonly viewer: { readonly scopes: readonly string[] } }>(
      'query TryKey { viewer { scopes } }',
    )
    return viewer.scopes.includes('READ')
      ? undefined
      : `The key may not read: it has ${viewer.scopes.join(', ') || 'no scopes'}; READ is needed.`
  } catch (error) {
    if (error instanceof FaultError && error.code === 'UNAUTHENTICATED') return 'The service does not know this key.'
    return error instanceof Error ? error.message : String(error)
  }
}
