// The kit's menu, whose placement beside a button is a tenth of the first page: it is loaded when the page rests.
export { Menu } from '../kit.ts'
