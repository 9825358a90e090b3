// Says below the search that a keyword is unknown: it finds devices with that text only, mostly none.
import { unknownKeyword } from '@bowline/contract/schemas/lists/device-search'
import { Text } from '../../ui/kit.ts'
import { devicesMessages as texts } from './messages.ts'
import { KEYWORDS_LINE } from './search.ts'

export function SearchNote({ words = '' }: { readonly words: string | undefined }) {
  const keyword = unknownKeyword(words)
  return keyword === undefined ? null : (
    <Text component="output" display="block" size="sm" mb="sm">
      {texts.unknownKeyword(keyword, KEYWORDS_LINE)}
    </Text>
  )
}
