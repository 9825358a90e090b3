// Colours, type and sizes of the console, on the ground of those that it shares with the documentation. Every colour pair
// used for text has a contrast of at least 4.5:1 in both schemes (WCAG 2.2, 1.4.3); the kit's own dimmed text and primary
// button do not, so they are replaced here.
import { DARK, DARK_SCHEME, FONT, GRAY, LIGHT_SCHEME, MONOSPACE_FONT, RADIUS, SEA } from '@bowline/browser/brand'
import { type CSSVariablesResolver, createTheme, localStorageColorSchemeManager } from '@mantine/core'

export const theme = createTheme({
  colors: { sea: [...SEA], gray: [...GRAY], dark: [...DARK] },
  primaryColor: 'sea',
  primaryShade: { light: 7, dark: 7 },
  fontFamily: FONT,
  fontFamilyMonospace: MONOSPACE_FONT,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: RADIUS,
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    // The kit's own, inside of password fields.
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', c: 'dimmed', size: 28 } },
    // The first item has the focus instead of a placeholder without a name, which a screen reader announces as nothing;
    // only items with a tab index can receive it.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, menuItemTabIndex: 0 } },
    Modal: {
      defaultProps: { centered: true, radius: 10 },
      styles: { title: { fontWeight: 600, fontSize: '1rem' } },
    },
  },
})

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': LIGHT_SCHEME.body,
    '--mantine-color-text': LIGHT_SCHEME.text,
    '--mantine-color-dimmed': LIGHT_SCHEME.dimmed,
    '--mantine-color-placeholder': '#64717c',
    '--mantine-color-error': LIGHT_SCHEME.danger,
    '--mantine-color-anchor': LIGHT_SCHEME.accent,
    '--bowline-side': LIGHT_SCHEME.side,
    '--bowline-panel': LIGHT_SCHEME.panel,
    '--bowline-line': LIGHT_SCHEME.line,
    '--bowline-hover': LIGHT_SCHEME.hover,
    '--bowline-code': LIGHT_SCHEME.code,
    '--bowline-tip': '#172027',
    '--bowline-tip-text': '#ffffff',
    '--bowline-online': '#15803d',
    '--bowline-ok': LIGHT_SCHEME.ok,
    '--bowline-ok-fill': '#e3f3e8',
    '--bowline-warn': LIGHT_SCHEME.warn,
    '--bowline-warn-fill': '#fdf3e0',
    '--bowline-attention': '#d97706',
    '--bowline-danger': LIGHT_SCHEME.danger,
    '--bowline-danger-fill': '#fdecea',
    '--bowline-accent': LIGHT_SCHEME.accent,
    '--bowline-accent-fill': LIGHT_SCHEME['accent-fill'],
  },
  dark: {
    '--mantine-color-body': DARK_SCHEME.body,
    '--mantine-color-text': DARK_SCHEME.text,
    '--mantine-color-dimmed': DARK_SCHEME.dimmed,
    '--mantine-color-placeholder': '#8a97a1',
    '--mantine-color-error': DARK_SCHEME.danger,
    '--mantine-color-anchor': DARK_SCHEME.accent,
    '--bowline-side': DARK_SCHEME.side,
    '--bowline-panel': DARK_SCHEME.panel,
    '--bowline-line': DARK_SCHEME.line,
    '--bowline-hover': DARK_SCHEME.hover,
    // Mantine's own is too light for secondary text on it.
    '--menu-item-hover': '#242e37',
    '--bowline-code': DARK_SCHEME.code,
    '--bowline-tip': '#e2e8eb',
    '--bowline-tip-text': '#000000',
    '--bowline-online': '#4ade80',
    '--bowline-ok': DARK_SCHEME.ok,
    '--bowline-ok-fill': '#10261a',
    '--bowline-warn': DARK_SCHEME.warn,
    '--bowline-warn-fill': '#2a2113',
    '--bowline-attention': '#f0b45b',
    '--bowline-danger': DARK_SCHEME.danger,
    '--bowline-danger-fill': '#2d1917',
    '--bowline-accent': DARK_SCHEME.accent,
    '--bowline-accent-fill': DARK_SCHEME['accent-fill'],
  },
})

/** Stores light, dark or auto under the key that public/theme.js reads. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'bowline.theme' })
