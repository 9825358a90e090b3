// Colours, type and sizes of the console. Every colour pair used for text has a contrast of at least 4.5:1 in both
// schemes (WCAG 2.2, 1.4.3); the kit's own dimmed text and primary button do not, so they are replaced here.
import {
  type CSSVariablesResolver,
  type MantineColorsTuple,
  createTheme,
  localStorageColorSchemeManager,
} from '@mantine/core'

const sea: MantineColorsTuple = [
  '#e9f5f7',
  '#d2e8ec',
  '#a5d2da',
  '#76bbc7',
  '#4fa8b7',
  '#37a0b0',
  '#1e8a9c',
  '#0f7285',
  '#0b6072',
  '#064d5c',
]

const gray: MantineColorsTuple = [
  '#f6f8f9',
  '#eef2f4',
  '#e2e8eb',
  '#d2dadf',
  '#b6c1c8',
  '#8b99a3',
  '#56646f',
  '#3f4c56',
  '#29343c',
  '#172027',
]

const dark: MantineColorsTuple = [
  '#d6dfe4',
  '#b5c0c8',
  '#9ba8b2',
  '#64727d',
  '#36424c',
  '#27313a',
  '#1a2229',
  '#11171c',
  '#0c1115',
  '#080b0e',
]

export const theme = createTheme({
  colors: { sea, gray, dark },
  primaryColor: 'sea',
  primaryShade: { light: 7, dark: 7 },
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 6,
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
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#172027',
    '--mantine-color-dimmed': '#56646f',
    '--mantine-color-placeholder': '#64717c',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#0b6072',
    '--bowline-side': '#f6f8f9',
    '--bowline-panel': '#ffffff',
    '--bowline-line': '#e2e8eb',
    '--bowline-hover': '#f1f5f7',
    '--bowline-code': '#eef2f4',
    '--bowline-tip': '#172027',
    '--bowline-tip-text': '#ffffff',
    '--bowline-online': '#15803d',
    '--bowline-ok': '#11672f',
    '--bowline-ok-fill': '#e3f3e8',
    '--bowline-warn': '#8a5300',
    '--bowline-warn-fill': '#fdf3e0',
    '--bowline-attention': '#d97706',
    '--bowline-danger': '#b3261e',
    '--bowline-danger-fill': '#fdecea',
    '--bowline-accent': '#0b6072',
    '--bowline-accent-fill': '#e9f5f7',
  },
  dark: {
    '--mantine-color-body': '#11171c',
    '--mantine-color-text': '#d6dfe4',
    '--mantine-color-dimmed': '#9ba8b2',
    '--mantine-color-placeholder': '#8a97a1',
    '--mantine-color-error': '#ff9b91',
    '--mantine-color-anchor': '#76bbc7',
    '--bowline-side': '#0c1115',
    '--bowline-panel': '#161d23',
    '--bowline-line': '#27313a',
    '--bowline-hover': '#1a2229',
    // Mantine's own is too light for secondary text on it.
    '--menu-item-hover': '#242e37',
    '--bowline-code': '#1a2229',
    '--bowline-tip': '#e2e8eb',
    '--bowline-tip-text': '#000000',
    '--bowline-online': '#4ade80',
    '--bowline-ok': '#4ade80',
    '--bowline-ok-fill': '#10261a',
    '--bowline-warn': '#f0b45b',
    '--bowline-warn-fill': '#2a2113',
    '--bowline-attention': '#f0b45b',
    '--bowline-danger': '#ff9b91',
    '--bowline-danger-fill': '#2d1917',
    '--bowline-accent': '#76bbc7',
    '--bowline-accent-fill': '#12272d',
  },
})

/** Stores light, dark or auto under the key that public/theme.js reads. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'bowline.theme' })
