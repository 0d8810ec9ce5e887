import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import '../app/styles.ts'
import { cssVariables, theme } from '../app/theme.ts'
import { stories } from './stories.ts'

/**
 * The page `/kit` shows every component that pages share, in each of its states, without a service. It exists during development, and in a
 * build with `vite build --mode kit`. The served console does not contain it. `?at=...` shows the past.
 */
export function Kit() {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <Notifications />
      <RouterProvider router={router} />
    </MantineProvider>
  )
}

const router = createRouter({ routeTree: createRootRoute({ component: Stories, notFoundComponent: Stories }) })

function Stories() {
  return (
    <main style={{ padding: 16, maxWidth: 1_200 }}>
      {stories.map(({ of, states }) => (
        <section key={of} aria-label={of} data-story={of} style={{ marginBlockEnd: 32 }}>
          <p className="mono" style={{ fontWeight: 600 }}>
            {of}
          </p>
          {Object.entries(states).map(([state, shown]) => (
            <figure key={state} aria-label={`${of}: ${state}`} style={{ margin: '0 0 16px' }}>
              <figcaption className="dimmed" style={{ marginBlockEnd: 4 }}>
                {state}
              </figcaption>
              {shown}
            </figure>
          ))}
        </section>
      ))}
    </main>
  )
}
