/** What a part of a title stands for in full names of tests: `%s`, `$name` and `…` are any text. */
module.exports.titlePattern = (title) =>
  new RegExp(title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/%[a-z]|\\\$\w+|…/gi, '.*'));
