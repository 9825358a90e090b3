// Chooses the language of the console, each under its own name. The page is loaded again in it.
import { chooseLanguage, language } from '../../platform/language/language.ts'
import { LANGUAGES, isLanguage } from '../../platform/language/languages.ts'
import { NativeSelect } from '../kit.ts'
import { uiMessages } from '../messages.ts'

const choices = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))

export function LanguageChoice() {
  return (
    <NativeSelect
      size="xs"
      aria-label={uiMessages.language}
      value={language}
      data={choices}
      onChange={({ currentTarget: { value } }) => {
        if (isLanguage(value)) chooseLanguage(value)
      }}
    />
  )
}
