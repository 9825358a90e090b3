// Button for the terminal settings and shortcuts.
import { keyNames } from '../../ui/text/key-name.ts'
import { SlidersHorizontal } from 'lucide-react'
import { useId, useState } from 'react'
import { useStore } from '../../core/context.tsx'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Autocomplete, Button, Group, NativeSelect, Popover, Stack, Text, TextInput } from '../../ui/kit.ts'
import { consents, forgetConsents } from './signals/consents.ts'
import { isApple } from './screen/clipboard.ts'
import { terminalMessages as texts } from './messages.ts'
import { FONT_NAME, FONT_SIZES, TerminalSettings, changeSettings, terminalSettings } from './screen/settings.ts'
import classes from './terminal.module.css'
import { formatCount } from '../../ui/text/numbers.ts'

/** Suggestions only: browsers do not reveal which fonts a device has. */
const FONTS = ['Cascadia Code', 'Consolas', 'DejaVu Sans Mono', 'Fira Code', 'Hack', 'Menlo', 'monospace']
const SCROLLBACKS = [1_000, 5_000, 20_000, 100_000]

export function SettingsButton() {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={320} trapFocus>
      <Popover.Target>
        <IconButton
          data-tip={opened ? undefined : texts.settings}
          aria-label={texts.settings}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <SlidersHorizontal size={16} aria-hidden />
        </IconButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.settings}>
        <SettingsForm />
      </Popover.Dropdown>
    </Popover>
  )
}

function SettingsForm() {
  const settings = useStore(terminalSettings)
  const remembered = useStore(consents).length
  const hint = useId()
  const paletteHint = useId()
  const words = texts.setting
  return (
    <Stack gap="sm" className={classes['settings'] ?? ''}>
      <NativeSelect
        size="xs"
        label={words.theme}
        value={settings.theme}
        data={Object.entries(words.themes).map(([value, label]) => ({ value, label }))}
        onChange={(event) => changeSettings({ theme: TerminalSettings.shape.theme.parse(event.currentTarget.value) })}
      />
      <Autocomplete
        size="xs"
        label={words.font}
        description={words.fontHint}
        data={FONTS}
        value={settings.font}
        placeholder="JetBrains Mono"
        autoComplete="off"
        spellCheck={false}
        // All fonts stay offered: the field begins with the one that was chosen last.
        filter={({ options }) => options}
        // The panel around it closes on clicks outside of it, and is cut to the height of the window.
        comboboxProps={{ withinPortal: false, position: 'bottom-start' }}
        onChange={(value) => {
          if (FONT_NAME.test(value)) changeSettings({ font: value })
        }}
      />
      <TextInput
        size="xs"
        type="number"
        label={words.fontSize}
        min={FONT_SIZES.least}
        max={FONT_SIZES.most}
        value={settings.fontSize}
        onChange={(event) => {
          const size = event.currentTarget.valueAsNumber
          if (size >= FONT_SIZES.least && size <= FONT_SIZES.most) changeSettings({ fontSize: Math.round(size) })
        }}
      />
      <NativeSelect
        size="xs"
        label={words.scrollback}
        value={String(settings.scrollback)}
        data={SCROLLBACKS.map((lines) => ({ value: String(lines), label: formatCount(lines) }))}
        onChange={(event) => changeSettings({ scrollback: Number(event.currentTarget.value) })}
      />
      <label className={classes['check']}>
        <input
          type="checkbox"
          checked={settings.screenReader}
          aria-describedby={hint}
          onChange={(event) => changeSettings({ screenReader: event.currentTarget.checked })}
        />{' '}
        {words.screenReader}
        <Text id={hint} size="xs" c="dimmed">
          {words.screenReaderHint}
        </Text>
      </label>
      <label className={classes['check']}>
        <input
          type="checkbox"
          checked={settings.copyOnSelect}
          onChange={(event) => changeSettings({ copyOnSelect: event.currentTarget.checked })}
        />{' '}
        {words.copyOnSelect}
      </label>
      <NativeSelect
        size="xs"
        label={words.bell}
        value={settings.bell}
        data={Object.entries(words.bells).map(([value, label]) => ({ value, label }))}
        onChange={(event) => changeSettings({ bell: TerminalSettings.shape.bell.parse(event.currentTarget.value) })}
      />
      <NativeSelect
        size="xs"
        label={words.pasteQuestion}
        value={settings.pasteQuestion}
        data={Object.entries(words.pasteQuestions).map(([value, label]) => ({ value, label }))}
        onChange={(event) =>
          changeSettings({ pasteQuestion: TerminalSettings.shape.pasteQuestion.parse(event.currentTarget.value) })
        }
      />
      {isApple ? null : (
        <label className={classes['check']}>
          <input
            type="checkbox"
            checked={settings.paletteKey}
            aria-describedby={paletteHint}
            onChange={(event) => changeSettings({ paletteKey: event.currentTarget.checked })}
          />{' '}
          {words.paletteKey}
          <Text id={paletteHint} size="xs" c="dimmed">
            {words.paletteKeyHint}
          </Text>
        </label>
      )}
      {remembered === 0 ? null : (
        <Group gap="xs" justify="space-between" wrap="nowrap">
          <Text size="xs">{words.consents(remembered)}</Text>
          <Button size="compact-xs" variant="default" onClick={forgetConsents}>
            {words.forgetConsents}
          </Button>
        </Group>
      )}
      <div>
        <Text size="xs" fw={600} mb={4}>
          {words.keysTitle}
        </Text>
        <dl className={classes['keys']}>
          {[...(isApple ? [] : texts.clipboardKeys), ...texts.keys].map(([key, what]) => (
            <div key={key} className={classes['fact']}>
              <dt>{keyNames(key)}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Stack>
  )
}
