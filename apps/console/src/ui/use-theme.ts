// Light, dark or what the system says.
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'

export type Theme = 'light' | 'dark' | 'auto'

/** The chosen theme and the function that changes and remembers it. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return [colorScheme, setColorScheme]
}

/** Whether the page is dark now, whoever says so. */
export function useIsDark(): boolean {
  return useComputedColorScheme() === 'dark'
}
