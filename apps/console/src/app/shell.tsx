import {
  ActionIcon,
  AppShell,
  Box,
  Burger,
  Group,
  Kbd,
  Menu,
  NavLink,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconHelp, IconHistory, IconMoon, IconSearch, IconSun, IconUser } from '@tabler/icons-react'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { keepFocus } from '../lib/browser/keep-focus.ts'
import { useKeyboard, useShortcuts } from '../lib/browser/keys.ts'
import { coverPage } from '../lib/browser/over-page.ts'
import { choose } from '../lib/browser/preferences.ts'
import { useTimeZone } from '../lib/format.ts'
import { signOut } from '../lib/service/session.ts'
import { useAt } from '../lib/service/travel.ts'
import { MenuLink } from '../ui/menu-link.tsx'
import type { Dialog } from './dialogs.tsx'
import { pages, presentOn } from './pages.ts'
import { ServiceStatus } from './service-status.tsx'
import { TravelBanner } from './travel-banner.tsx'

const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).Dialogs }))

/** The frame of every page: navigation, moment and status. */
export function Shell() {
  const [dialog, setDialog] = useState<Dialog>()
  const [isNavOpen, nav] = useDisclosure(false)
  const at = useAt()
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })

  const pickTime = (): void => setDialog('time')

  useKeyboard()
  useEffect(keepFocus, [])
  // this shortcut also works while the user types
  useHotkeys([['mod+K', () => setDialog('palette')]], [], true)
  const isCovered = dialog !== undefined
  // A layout effect runs before the effects of a page that opens at the same time, so that the page knows whether a dialog covers it.
  useLayoutEffect(() => coverPage(isCovered), [isCovered])
  useShortcuts([
    ...pages.map(({ to, label, keys }) => ({ keys, label: `Go to ${label}`, run: () => void navigate({ to }) })),
    { keys: '?', label: 'Show the keyboard shortcuts', run: () => setDialog('help') },
    { keys: 't', label: 'Show another time', run: pickTime },
    { keys: '.', label: 'Page actions', run: () => setDialog('actions') },
    { keys: 'y', label: 'Copy the link of this view', run: () => void copyLink() },
  ])

  return (
    <AppShell header={{ height: 48 }} navbar={{ width: 168, breakpoint: 'sm', collapsed: { mobile: !isNavOpen } }} padding={0}>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isNavOpen} onClick={nav.toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Text fw={700} component={Link} to="/" c="inherit" td="none">
              Gantt
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ServiceStatus />
            <UnstyledButton
              onClick={() => setDialog('palette')}
              aria-label="Search and go, Control K"
              px="sm"
              py={4}
              style={{ border: '1px solid var(--gantt-line)', borderRadius: 4 }}
            >
              <Group gap="xs" wrap="nowrap">
                <Box hiddenFrom="xs" lh={0} aria-hidden>
                  <IconSearch size={18} />
                </Box>
                <Text size="sm" c="dimmed" visibleFrom="xs" style={{ whiteSpace: 'nowrap' }}>
                  Search, go
                </Text>
                <Kbd size="xs" visibleFrom="xs" style={{ whiteSpace: 'nowrap' }}>
                  Ctrl K
                </Kbd>
              </Group>
            </UnstyledButton>
            <Tooltip label="Show another time (t)">
              <ActionIcon variant="subtle" color="gray" aria-label="Show another time" onClick={pickTime}>
                <IconHistory size={18} />
              </ActionIcon>
            </Tooltip>
            <ColourScheme />
            <Tooltip label="Keyboard shortcuts (?)">
              <ActionIcon variant="subtle" color="gray" visibleFrom="xs" aria-label="Keyboard shortcuts" onClick={() => setDialog('help')}>
                <IconHelp size={18} />
              </ActionIcon>
            </Tooltip>
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {pages.map(({ to, label, icon: Icon }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={label}
            leftSection={<Icon size={16} aria-hidden />}
            active={path === to || path.startsWith(`${to}/`)}
            aria-current={path === to ? 'page' : undefined}
            onClick={nav.close}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={at === undefined ? undefined : 'travelling'}>
        {at === undefined ? null : <TravelBanner at={at} present={presentOn(path)} onPick={pickTime} />}
        <Outlet />
      </AppShell.Main>
      <Suspense>
        <Dialogs open={dialog} onOpen={setDialog} onClose={(closed) => setDialog((now) => (now === closed ? undefined : now))} />
      </Suspense>
    </AppShell>
  )
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href)
    notifications.show({ message: 'Copied: the link of this view.', autoClose: 2_000, withCloseButton: false })
  } catch {
    notifications.show({
      color: 'red',
      title: 'Not copied',
      message: 'The browser allows pages to use the clipboard only over https or on localhost. Copy the link from the address bar.',
      closeButtonProps: { 'aria-label': 'Close' },
    })
  }
}

function ColourScheme() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <Tooltip label={`Use ${other} colours`}>
      <ActionIcon variant="subtle" color="gray" visibleFrom="xs" aria-label={`Use ${other} colours`} onClick={() => setColorScheme(other)}>
        {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </Tooltip>
  )
}

function Account() {
  const zone = useTimeZone()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label="Account and settings">
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => choose('timezone', zone === 'utc' ? 'local' : 'utc')}>
          {zone === 'utc' ? 'Show local times' : 'Show times in UTC'}
        </Menu.Item>
        <MenuLink to="/settings">Settings</MenuLink>
        <Menu.Divider />
        <Menu.Item onClick={() => signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
