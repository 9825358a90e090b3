// Colours of the matches of a search in a terminal. The current one is the strongest: at least 3:1 to the others (WCAG 2.2,
// 1.4.11), which a frame sets off from the background.
import type { ISearchDecorationOptions } from '@xterm/addon-search'
import type { ITheme } from '@xterm/xterm'

const ON_DARK: ISearchDecorationOptions = {
  matchBackground: '#5c3d00',
  matchBorder: '#c27c0e',
  matchOverviewRuler: '#c27c0e',
  activeMatchBackground: '#ffd24d',
  activeMatchBorder: '#ffffff',
  activeMatchColorOverviewRuler: '#ffd24d',
}
const ON_LIGHT: ISearchDecorationOptions = {
  matchBackground: '#ffe08a',
  matchBorder: '#a86f00',
  matchOverviewRuler: '#a86f00',
  activeMatchBackground: '#9c2f00',
  activeMatchBorder: '#5c1c00',
  activeMatchColorOverviewRuler: '#9c2f00',
}

/** Green counts most for how light a colour is; the backgrounds of themes are near black or white. */
const LIGHT_FROM = 0x80

/** @param background of the terminal's theme, as `#rrggbb` */
export function searchColours(background: string | undefined): ISearchDecorationOptions {
  return isLight(background) ? ON_LIGHT : ON_DARK
}

/** The current match is selected, and a selection covers the colours of matches: it has that of the current one. */
export function searchTheme(theme: ITheme): ITheme {
  const { activeMatchBackground } = searchColours(theme.background)
  return {
    ...theme,
    selectionBackground: activeMatchBackground ?? theme.selectionBackground ?? '',
    selectionInactiveBackground: activeMatchBackground ?? theme.selectionBackground ?? '',
    selectionForeground: isLight(theme.background) ? '#ffffff' : '#1a1200',
  }
}

function isLight(background = '#000000'): boolean {
  return Number.parseInt(background.slice(3, 5), 16) >= LIGHT_FROM
}
