import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useLayoutEffect } from 'react'
import { usePreference } from '../lib/browser/preferences.ts'
import { queryClient } from '../lib/service/api.ts'
import { useSession } from '../lib/service/session.ts'
import './styles.ts'
import { router } from './router.tsx'
import { SignIn } from './sign-in.tsx'
import { cssVariables, theme } from './theme.ts'

/** The whole console. Without a session it shows the sign-in page and leaves the URL unchanged. */
export function App() {
  const { key, reason } = useSession()
  const contrast = usePreference('contrast')
  useLayoutEffect(() => {
    document.documentElement.dataset.contrast = contrast
  }, [contrast])
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        {key === undefined && reason !== 'unknown-key' ? (
          <SignIn />
        ) : (
          <>
            <RouterProvider router={router} />
            {key === undefined ? <SignIn over="page" /> : null}
          </>
        )}
      </QueryClientProvider>
    </MantineProvider>
  )
}
