/** Matches part of a title against full test names: `%s`, `$name` and `…` match any text. */
module.exports.titlePattern = (title) =>
  new RegExp(title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/%[a-z]|\\\$\w+|…/gi, '.*'));
