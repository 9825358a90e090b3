// The colour scheme: light, dark or the system's.
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'

export type Theme = 'light' | 'dark' | 'auto'

/** The chosen theme, and a setter that stores it. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return [colorScheme, setColorScheme]
}

/** True when the page is dark, by choice or by the system. */
export function useIsDark(): boolean {
  return useComputedColorScheme() === 'dark'
}
