// Words that form a question but carry no meaning: English, German and Spanish, without accents.
const ENGLISH = `a an and any are as at be been being but by can cannot could did do does doing find for from had has have
  he her his how i if in into is it its just like may me might must my of on or our shall she should so some that the
  their them then there these they this those through to us very was we were what when where which who whom whose why
  will with would you your happen happens mean means thing things way`
const GERMAN = `aber als am auf aus bei bin bist das dass dem den der des die ein eine einem einen einer es fur hat
  ich ihr im ist kann kein man mein meine mich mir mit nach oder sich sie sind und vom von vor wann warum was wenn
  wer wie wird wo zu zum zur uber`
const SPANISH = `al como con cual cuando de del donde el en es esta la las lo los mi mis o para pero por porque puedo
  que quien se ser si sin su sus un una uno y`

const STOP_WORDS: ReadonlySet<string> = new Set([ENGLISH, GERMAN, SPANISH].flatMap((words) => words.split(/\s+/)))

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}
