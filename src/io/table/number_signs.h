// SignsInNumber finds the signs of numbers as spreadsheets write them, which are not read: a comma
// may be the decimal point or divide thousands, a % may be a hundredth, and currencies differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace singa {

// Returns the signs without which the field would be a number: of $1,234.5 they are "$" and ",".
// There are none if it is one, or if more than currencies, % and commas is in the way.
std::vector<std::string> SignsInNumber(std::string_view field);

// Returns the signs for a message: "$" and ",", in quotes.
std::string SignsText(const std::vector<std::string>& signs);

}  // namespace singa
