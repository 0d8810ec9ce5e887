import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  parseThemeColor,
  type VariantColorsResolver,
} from '@mantine/core'

/**
 * Text colours by name. Each has a contrast of at least 4.5:1 on white. The library's own text colours for badges, buttons and notes fail
 * WCAG AA.
 */
const inks: Readonly<Record<string, string>> = {
  blue: '#1864ab',
  green: '#256f33',
  red: '#b02a2a',
  yellow: '#7a5600',
  gray: '#495057',
  orange: '#a13e03',
  teal: '#066649',
  cyan: '#0b6577',
  grape: '#862e9c',
}

/** The text colour of a button, badge or note that is not filled. On a dark page it is a pale shade. */
const inkOf = (name: string): string => `light-dark(var(--gantt-ink-${name}), var(--mantine-color-${name}-2))`

/**
 * The background of an element under the pointer. This background is one shade paler than the library's, on which the text would have a
 * contrast of less than 4.5:1.
 */
const hoverOf = (name: string): string => `light-dark(var(--mantine-color-${name}-1), var(--mantine-color-${name}-light-hover))`

const variantColorResolver: VariantColorsResolver = (input) => {
  const plain = defaultVariantColorsResolver(input)
  const colour = parseThemeColor({ color: input.color ?? input.theme.primaryColor, theme: input.theme })
  if (!colour.isThemeColor) return plain
  const name = colour.color
  switch (input.variant) {
    case 'light':
      return {
        ...plain,
        color: inkOf(name),
        background: `light-dark(var(--mantine-color-${name}-0), var(--mantine-color-${name}-light))`,
        hover: hoverOf(name),
      }
    case 'outline':
      return {
        ...plain,
        color: inkOf(name),
        border: `1px solid light-dark(var(--gantt-ink-${name}), var(--mantine-color-${name}-5))`,
      }
    case 'filled':
      return { ...plain, background: `var(--gantt-ink-${name})`, hover: `var(--gantt-ink-${name})`, color: '#fff' }
    case 'subtle':
      return { ...plain, color: inkOf(name), hover: hoverOf(name) }
    default:
      return plain
  }
}

export const theme = createTheme({
  variantColorResolver,
  primaryShade: { light: 9, dark: 8 },
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '600' },
  components: {
    // the close button has only an icon, so it needs a label
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // An ARIA menu may contain only items, so the library's placeholder is not rendered, and the first item gets the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
})

export const cssVariables: CSSVariablesResolver = () => ({
  variables: Object.fromEntries(Object.entries(inks).map(([name, ink]) => [`--gantt-ink-${name}`, ink])),
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#5c636a',
    '--mantine-color-error': '#b02a2a',
    '--mantine-color-anchor': '#1864ab',
    '--gantt-line': '#d5dae0',
    '--gantt-row-hover': '#eef3f8',
    '--gantt-row-active': '#dcebf9',
    '--gantt-panel': '#f7f9fb',
    '--gantt-used': '#1864ab',
    '--gantt-claimed': '#d9820b',
    '--gantt-free': '#e3e8ed',
    '--gantt-pass': '#066649',
    '--gantt-fail': '#b02a2a',
    '--gantt-idle': '#8a939c',
    '--gantt-travel': '#fff3cd',
    '--gantt-travel-ink': '#4a3300',
    '--gantt-travel-line': '#e09b00',
  },
  dark: {
    '--mantine-color-dimmed': '#a6acb3',
    '--mantine-color-placeholder': '#a6acb3',
    '--mantine-color-error': '#ff8787',
    '--gantt-line': '#3b4148',
    '--gantt-row-hover': '#2b3138',
    '--gantt-row-active': '#17314a',
    '--gantt-panel': '#1f2327',
    '--gantt-used': '#4dabf7',
    '--gantt-claimed': '#f0a63a',
    '--gantt-free': '#3a4149',
    '--gantt-pass': '#5fdcc6',
    '--gantt-fail': '#ff8787',
    '--gantt-idle': '#70787f',
    '--gantt-travel': '#3a2c05',
    '--gantt-travel-ink': '#ffe9b0',
    '--gantt-travel-line': '#e0a21b',
  },
})
