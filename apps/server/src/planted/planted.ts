import '../planted2/store.ts'
