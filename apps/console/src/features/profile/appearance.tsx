// Appearance settings of this browser: theme, language, row height, time style and time zone.
import { useSyncExternalStore } from 'react'
import { appMessages } from '../../core/messages.ts'
import { allZones, chooseTimeZone, timeZone } from '../../platform/time-zone.ts'
import { LanguageChoice } from '../../ui/controls/language-choice.tsx'
import { NativeSelect, Select } from '../../ui/kit.ts'
import { DENSITIES, chooseDensity, density } from '../../ui/list/density.ts'
import { uiMessages } from '../../ui/messages.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { TIME_STYLES, chooseTimeStyle, timeStyle } from '../../ui/text/time-style.ts'
import { useTheme } from '../../ui/use-theme.ts'
import { profileMessages as texts } from './messages.ts'

const { displayMenu } = uiMessages
const THEMES = ['auto', 'light', 'dark'] as const

export function Appearance() {
  const [theme, setTheme] = useTheme()
  const rows = useSyncExternalStore(density.subscribe, density.get)
  const times = useSyncExternalStore(timeStyle.subscribe, timeStyle.get)
  return (
    <SectionCard id="appearance" title={texts.theme}>
      <SettingRow label={texts.themeLabel} hint={texts.themeText}>
        <Choice
          label={texts.themeLabel}
          values={THEMES}
          names={appMessages.themes}
          chosen={theme}
          onChoose={(value) => setTheme(value)}
        />
      </SettingRow>
      <SettingRow label={uiMessages.language} hint={texts.languageText}>
        <LanguageChoice />
      </SettingRow>
      <SettingRow label={displayMenu.rowHeight} hint={texts.ofAllLists}>
        <Choice
          label={displayMenu.rowHeight}
          values={DENSITIES}
          names={displayMenu.densities}
          chosen={rows}
          onChoose={chooseDensity}
        />
      </SettingRow>
      <SettingRow label={displayMenu.times} hint={texts.ofAllLists}>
        <Choice
          label={displayMenu.times}
          values={TIME_STYLES}
          names={displayMenu.timeStyles}
          chosen={times}
          onChoose={chooseTimeStyle}
        />
      </SettingRow>
      <SettingRow label={texts.timeZone} hint={texts.timeZoneText}>
        <ZoneChoice />
      </SettingRow>
    </SectionCard>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly values: readonly Value[]
  readonly names: Readonly<Record<Value, string>>
  readonly chosen: Value
  readonly onChoose: (value: Value) => void
}

function Choice<Value extends string>({ label, values, names, chosen, onChoose }: ChoiceProps<Value>) {
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={chosen}
      data={values.map((value) => ({ value, label: names[value] }))}
      onChange={({ currentTarget }) => {
        const known = values.find((value) => value === currentTarget.value)
        if (known !== undefined) onChoose(known)
      }}
    />
  )
}

/** Value of the choice that follows the browser. */
const OF_BROWSER = 'browser'

function ZoneChoice() {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = allZones().map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
  return (
    <Select
      size="xs"
      w="16rem"
      aria-label={texts.timeZone}
      searchable
      allowDeselect={false}
      nothingFoundMessage={texts.noZone}
      value={timeZone ?? OF_BROWSER}
      data={[{ value: OF_BROWSER, label: texts.zoneOfBrowser(own) }, ...zones]}
      onChange={(zone) => chooseTimeZone(zone === OF_BROWSER ? undefined : (zone ?? undefined))}
    />
  )
}
